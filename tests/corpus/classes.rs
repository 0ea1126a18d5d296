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

#[test]
fn an_offer_of_anything_else_after_a_report_asks_nobody() {
    let report = "The importer reads both formats now, and all 64 tests pass.\n\n";
    for offer in [
        "Would you like me to help with anything else?",
        "Is there anything about the importer that you'd like help with?",
        "How can I help you with it today?",
        "Voulez-vous que je vérifie d'autres fichiers ?",
        "¿Quieres que revise algún otro archivo?",
        "Quer que eu revise algum outro arquivo?",
        "Soll ich sonst noch etwas prüfen?",
        "是否需要我对任何部分做进一步的解释？",
        "还需要查看其他部分吗？",
        "무엇을 도와드릴까요?",
    ] {
        all_are(Label::Complete, &[&format!("{report}{offer}")]);
    }
    all_are(
        Label::AwaitingResponse,
        &[
            "Hi! How can I help you today?",
            &format!("{report}Shall I convert the other importer as well?"),
            &format!("{report}要我把另一个导入器也改掉吗？"),
        ],
    );
}

#[test]
fn a_step_as_the_last_word_after_finished_work_is_an_instruction() {
    all_are(
        Label::Complete,
        &[
            "I moved the counters into one table and adapted the queries. Please run `make migrate` in your environment to verify it.",
            "카운터를 한 테이블로 옮기고 쿼리를 수정했습니다. 새로고침 후 확인 부탁드립니다.",
        ],
    );
    all_are(
        Label::AwaitingResponse,
        &[
            "I moved the counters into one table. Please run `make migrate` and send me the output.",
            "现在执行下面的命令：\n\n```\nmake migrate\n```\n\n跑完后截图发我。",
            "Restart the server and try the import again - show me those logs!",
        ],
    );
}

#[test]
fn a_menu_below_a_document_with_fences_of_its_own_is_whole() {
    let menu = "```markdown\n# Layout\n```json\n{}\n```\nOne column on phones.\n```\n\nHow do you want to go on?\n\n\
                [A] Another draft\n[C] Go on and save it";
    all_are(Label::AwaitingResponse, &[menu]);
}

#[test]
fn code_to_copy_is_no_answer_to_something_else() {
    let request = Some("the push fails with this message, tell me what else to type");
    let answer = "Rebase first:\n\n```\ngit pull --rebase origin main\n```";
    let judged = classify(answer, &Context { request, ..Context::default() });
    assert_eq!(judged.label, Label::Complete);
}
