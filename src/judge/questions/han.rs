//! Folds traditional Chinese characters to simplified ones, so that the Chinese language file needs only one
//! script. Must not touch text with Japanese kana, which has its own forms.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Each traditional character is followed by its simplified form. This is no dictionary, but covers the
/// characters of asking, announcing and handing over.
const PAIRS: &str = "\
    請请選选這这個个嗎吗還还為为麼么確确認认後后們们說说過过對对來来會会沒没問问題题樣样檔档開开關关\
    進进動动執执繼继續续運运測测試试刪删備备據据資资碼码號号貼贴給给發发傳传訊讯網网連连權权處处決决\
    內内實实現现讓让應应該该煩烦幫帮點点頭头種种兩两從从將将與与無无錯错誤误報报讀读寫写譯译語语氣气\
    適适標标準准嘗尝辦办間间時时剛刚終终結结統统計计設设數数庫库條条頁页項项較较歡欢隨随聯联繫系謝谢\
    復复覆复轉转換换檢检環环邊边擇择論论議议詢询見见聽听覺觉則则價价級级細细編编輯辑圖图單单訂订額额\
    錄录調调協协務务麗丽專专業业東东車车門门產产預预屬属類类顯显驗验證证簽签狀状態态劃划戶户員员職职\
    範范圍围優优補补齊齐損损壞坏滿满稱称難难雙双區区參参變变棄弃斷断線线紅红綠绿藍蓝顏颜側侧鍵键盤盘\
    裝装載载遲迟離离達达違违遠远邏逻輸输鏈链緊紧絕绝維维緒绪練练構构極极樓楼檻槛歷历殘残災灾熱热獨独\
    獲获畫画異异當当療疗監监眾众瞭了礎础禮礼積积穩稳窩窝筆笔節节糾纠純纯組组絡络習习聲声腳脚舊旧萬万\
    著着虛虚蟲虫術术裡里裏里製制複复觀观規规視视觸触訪访評评詞词詳详誰谁課课諾诺講讲識识護护負负財财\
    責责貨货費费賬账賴赖趕赶軟软農农遞递郵邮釋释針针鎖锁長长閉闭閒闲隊队階阶際际隱隐雜杂電电靜静響响\
    順顺須须領领頻频願愿風风飛飞館馆馬马體体魚鱼麥麦黃黄齡龄";

/// The simplified form of `joined`, if it is Chinese and contains traditional characters.
pub(super) fn simplified(joined: &str) -> Option<String> {
    let kana = |c: char| matches!(c, '\u{3041}'..='\u{30ff}');
    if joined.is_empty() || joined.chars().any(kana) {
        return None;
    }
    let folded: String = joined.chars().map(|c| SIMPLE.get(&c).copied().unwrap_or(c)).collect();
    (folded != joined).then_some(folded)
}

static SIMPLE: LazyLock<HashMap<char, char>> =
    LazyLock::new(|| PAIRS.chars().step_by(2).zip(PAIRS.chars().skip(1).step_by(2)).collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traditional_chinese_is_folded_and_japanese_is_not() {
        assert_eq!(simplified("請問要選哪個").as_deref(), Some("请问要选哪个"));
        assert_eq!(simplified("请问要选哪个"), None);
        assert_eq!(simplified("選択してください"), None);
    }
}
