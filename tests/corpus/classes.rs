//! Classes of messages in every language: each case is one way of writing what a rule of the judge is about. Figures
//! over whole corpora are in `corpus.rs`.

use closeout::judge::questions::{Context, Label, Signal, classify};

#[track_caller]
fn all_are(expected: Label, texts: &[&str]) {
    let wrong: Vec<_> = texts
        .iter()
        .map(|text| (text, classify(text, &Context::default())))
        .filter(|(_, judged)| judged.label != expected)
        .map(|(text, judged)| format!("{text:?}: {:?} {:?}", judged.label, judged.kind))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_request_under_a_condition_after_finished_work_asks_nobody() {
    all_are(
        Label::Complete,
        &[
            "The export is fixed and all 40 tests pass.\n\nIf a column is still empty, send me the file and tell me which one.",
            "Der Export ist repariert, alle 40 Tests laufen durch.\n\nSollte eine Spalte leer bleiben, schick mir die Datei und \
             sag mir, welche.",
            "L'export est corrigé et les 40 tests passent.\n\nSi une colonne reste vide, envoyez-moi le fichier et dites-moi \
             laquelle.",
            "He corregido la exportación y las 40 pruebas pasan.\n\nSi alguna columna sigue vacía, envíame el archivo y dime cuál es.",
            "A exportação foi corrigida e os 40 testes passaram.\n\nSe alguma coluna continuar vazia, me envie o arquivo e me diga \
             qual é.",
            "エクスポートを修正し、テストは 40 件すべて成功しました。\n\nそれでも空の列がある場合は、ファイルを送って列の名前を教えてください。",
            "导出问题已经修复，40 个测试全部通过。\n\n如果还有空列，请把文件发给我，并告诉我是哪一列。",
            "내보내기를 수정했고 테스트 40개가 모두 통과했습니다.\n\n그래도 빈 열이 있으면 파일을 보내 주세요.",
        ],
    );
    all_are(
        Label::AwaitingResponse,
        &[
            "The export is fixed and all 40 tests pass.\n\nBefore I delete the old column, tell me which file to keep.",
            "The plan is written. If it suits you, reply yes and I'll start.",
        ],
    );
}

#[test]
fn own_acts_notes_and_words_to_others_ask_nobody() {
    all_are(
        Label::Complete,
        &[
            "手册里多了「安装」一节。若需要，我可以接着把示例也补上。",
            "导出已经修好，41 个测试全部通过。\n\n首次启动时会询问使用哪个文件夹。",
            "書き出しを直しました。試験は41件すべて通っています。\n\n先ほどの値を使います。",
            "書き出しを直しました。試験は41件すべて通っています。\n\nログなどの一覧は `logs/` に残します。",
            "書き出しを直しました。試験は41件すべて通っています。\n\n利用者には一度読み直すよう伝えてください。",
            "La exportación está lista y pasan las 41 pruebas.\n\nEn el diálogo, elige la cuenta y pulsa Guardar.",
            "The export is fixed and all 41 tests pass.\n\nIf you have to pick one format, CSV is the safer choice.",
        ],
    );
    all_are(
        Label::AwaitingResponse,
        &[
            "書き出しを直しました。\n\n次はどの案にしますか",
            "書き出しを直しました。\n\nこのうちどの番号を使うか選んでください。",
            "导出已经修好。\n\n请选择其中一种格式，我再继续。",
        ],
    );
    all_are(Label::Incomplete, &["失敗する箇所が分かりました。\n\n次に、どの入力で起きるかを再現します。"]);
}

#[test]
fn headings_above_nothing_are_a_stub() {
    all_are(
        Label::Incomplete,
        &[
            "# Report\n\n## Findings\n\nTODO\n\n## Advice\n\nTODO",
            "# Bericht\n\n## Befund\n\nTBD\n\n## Rat\n\nTBD",
            "# Informe\n\n## Resultado\n\n_TODO_\n\n## Consejo\n\n- TODO",
            "# 報告\n\n## 結果\n\nTODO\n\n## 対策\n\nTODO",
            "# Report\n\n## Findings\n\n## Advice\n",
        ],
    );
}

#[test]
fn who_will_look_again_is_still_at_work() {
    all_are(
        Label::Incomplete,
        &[
            "The import is still running, 12 of 80 are done. I'll check back in five minutes.",
            "Der Import läuft noch, 12 von 80 sind durch. Ich schaue in ein paar Minuten wieder nach.",
            "L'import tourne encore, 12 sur 80. Je repasserai dans dix minutes.",
            "La importación sigue en marcha, van 12 de 80 y no hay errores. Volveré a mirar en unos minutos.",
            "Estoy migrando las tablas, van 3 de 9. Avisaré cuando termine.",
            "A importação continua, 12 de 80 prontos. Volto a verificar em alguns minutos.",
        ],
    );
}

#[test]
fn who_did_not_manage_it_and_changed_nothing_is_not_done() {
    all_are(
        Label::Incomplete,
        &[
            "I did not manage to reproduce the fault. It shows in neither browser. I have not changed anything.",
            "Es ist mir nicht gelungen, den Fehler nachzustellen. Er tritt in keinem Browser auf. Am Code habe ich nichts geändert.",
            "Je n'ai pas réussi à reproduire la panne. Elle n'apparaît dans aucun navigateur. Je n'ai rien modifié.",
            "No he conseguido reproducir el fallo. No aparece en ningún navegador. No he cambiado nada.",
            "不具合を再現できませんでした。どのブラウザーでも起きません。コードは変更していません。",
            "没能复现这个问题。两个浏览器里都没有出现。没有修改任何代码。",
        ],
    );
    all_are(
        Label::Complete,
        &[
            "I read the code: the cache lives for five minutes and is dropped on write. I have not changed anything.",
        ],
    );
}

#[test]
fn what_the_writer_read_is_no_request_to_read() {
    all_are(Label::Complete, &["I merged their branch and read the code.", "I pulled and read the code."]);
}

#[test]
fn every_pattern_of_a_question_raises_its_signal() {
    let cases = [
        ("Please clarify the expected format of the report.", Signal::DirectQuestion),
        ("Please confirm the target branch.", Signal::ConfirmationRequest),
        ("Please let me know the target branch.", Signal::LetMeKnow),
        ("Could you please specify the target directory", Signal::DirectQuestion),
        ("Could you clarify the scope", Signal::DirectQuestion),
        ("Do you need a summary", Signal::DirectQuestion),
        ("Do you prefer tabs", Signal::DirectQuestion),
        ("オプション1 フラット\nオプション2 ネスト\nどちらか選んでください", Signal::OptionsSelection),
        ("オプション1：フラット\nオプション2：ネスト\nどちらにしますか？", Signal::OptionsSelection),
        ("1) A 2) B を選んでください", Signal::OptionsSelection),
        ("出力の形式を選んでください", Signal::LetMeKnow),
    ];
    for (text, signal) in cases {
        let judged = classify(text, &Context::default());
        assert_eq!(judged.label, Label::AwaitingResponse, "{text}");
        assert!(judged.signals.iter().any(|hit| hit.signal == signal), "{text}: {:?}", judged.signals);
        assert!(judged.tenths >= signal.tenths(), "{text}");
    }
    let options = classify("1) A 2) B を選んでください", &Context::default()).question.unwrap();
    assert_eq!(options.options.len(), 2);
}
