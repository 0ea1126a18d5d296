//! Programs that start at the same moment do not hold each other's pipes. Every start is delayed here, as on a machine
//! that is busy.

use std::process::{Command, Stdio};
use std::time::Duration;

use closeout::process::{End, Spec, run};

/// How much later the second program starts: while the first is being loaded, and long before it is itself.
const LATER: Duration = Duration::from_millis(400);

#[test]
#[ignore = "run by the test below, with delayed starts"]
fn two_that_start_one_after_the_other() {
    std::thread::scope(|scope| {
        for wait in [Duration::ZERO, LATER] {
            scope.spawn(move || {
                std::thread::sleep(wait);
                let output = run(&Spec::new("/bin/echo", "/").args(["all"])).unwrap();
                assert_eq!((output.end, output.was_held), (End::Code(0), false));
                assert_eq!(output.stdout, b"all\n");
            });
        }
    });
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the whole test program runs with delayed starts")]
fn an_answer_is_whole_although_another_program_starts_meanwhile() {
    let own = std::env::current_exe().unwrap();
    let delay = "inject=execve:delay_enter=500000";
    let mut command = Command::new("strace");
    command.args(["-qq", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=execve", "-e", delay]);
    command.arg(own).args(["--ignored", "--exact", "process::spawn::two_that_start_one_after_the_other"]);
    match command.stdin(Stdio::null()).output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            if text.is_empty() {
                return eprintln!("SKIPPED: nothing can be delayed here: {output:?}");
            }
            assert!(output.status.success() && text.contains("1 passed"), "{text}");
        }
        Err(error) => eprintln!("SKIPPED: nothing can be delayed here: {error}"),
    }
}
