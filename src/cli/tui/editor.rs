//! The person's own editor for a text: which program it is, and the edited result. The loop hands the
//! terminal over; nothing here draws.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::cli::environment::Environment;
use crate::model::display_text;
use crate::process::{End, InTerminal, TerminalSpec};
use crate::store::edited_text::EditedText;
use crate::ui::{Edited, MAX_TEXT_BYTES};

/// The editor if neither variable is set (POSIX; git uses the same).
const LAST_RESORT: &str = "vi";

#[derive(Debug, Clone)]
pub(crate) struct Editor {
    /// The command, or why there is none.
    command: Result<TerminalSpec, String>,
    state_folder: Option<PathBuf>,
}

pub(crate) struct Editing {
    pub(super) program: InTerminal,
    file: EditedText,
    before: String,
}

impl Editor {
    /// The editor from `VISUAL` or else `EDITOR` (environ(7)).
    pub(crate) fn of(environment: &Environment, state_folder: Option<PathBuf>) -> Editor {
        let named =
            ["VISUAL", "EDITOR"].into_iter().find_map(|name| Some((name, environment.variable(name)?)));
        let (name, value) =
            named.map_or(("", OsStr::new(LAST_RESORT)), |(name, value)| (name, value.as_os_str()));
        let spec = command(environment, value);
        let command = spec.map_err(|reason| match name {
            "" => format!("{reason}; name your editor in $VISUAL or $EDITOR"),
            name => format!("${name}: {reason}"),
        });
        Editor { command, state_folder }
    }

    /// Opens the editor on `text`; the error says why it cannot be started.
    pub(crate) fn open(&self, text: String) -> Result<Editing, String> {
        let mut spec = self.command.clone()?;
        let folder = self.state_folder.as_ref().ok_or("there is no folder for the text: HOME is not set")?;
        let file = EditedText::create(folder, &text).map_err(|error| error.to_string())?;
        spec.args.push(file.path().into());
        let program = InTerminal::start(&spec).map_err(|error| {
            format!(
                "{error}: {}",
                std::error::Error::source(&error).map_or_else(String::new, ToString::to_string)
            )
        })?;
        Ok(Editing { program, file, before: text })
    }
}

impl Editing {
    /// Waits for the editor to end and reads the result. A text that cannot be accepted stays on disk, and
    /// the person is told where.
    pub(crate) fn finish(self) -> Edited {
        let Editing { program, file, before } = self;
        let end = program.finish();
        let now = file.read(MAX_TEXT_BYTES);
        let problem = match end {
            Ok(End::Code(0)) => None,
            Ok(End::Code(code)) => Some(format!("the editor ended with {code}")),
            Ok(End::Signal(signal)) => Some(format!("the editor was ended by signal {signal}")),
            Ok(End::TimedOut | End::Cancelled | End::AtCap) => Some("the editor was ended".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        match (problem, now) {
            (None, Ok(Some(text))) => Edited::Text(as_before(&before, text)),
            (Some(problem), Ok(Some(text))) if as_before(&before, text.clone()) == before => {
                Edited::Failed(format!("{problem}; the text is as before"))
            }
            (problem, now) => {
                let problem = problem.unwrap_or_else(|| match now {
                    Ok(_) => format!("it is not text, or is longer than {} KiB", MAX_TEXT_BYTES / 1024),
                    Err(error) => error.to_string(),
                });
                let path = display_text::path(&file.leave());
                Edited::Failed(format!("{problem}; what you wrote is in {path}"))
            }
        }
    }
}

/// The text without the final line feed that editors add.
fn as_before(before: &str, mut text: String) -> String {
    if !before.ends_with('\n') && text.ends_with('\n') {
        text.pop();
    }
    text
}

fn command(environment: &Environment, value: &OsStr) -> Result<TerminalSpec, String> {
    let mut words = words_of(value)?.into_iter();
    let first = words.next().ok_or("it names no program")?;
    let shown = display_text::path(Path::new(&first));
    let program = match first.to_str() {
        Some(name) if !name.contains('/') => environment.program(name),
        _ => Some(environment.absolute(Path::new(&first))).filter(|path| path.is_file()),
    };
    let program = program.ok_or_else(|| format!("{shown} is not there"))?;
    Ok(TerminalSpec {
        program,
        args: words.collect(),
        folder: environment.here.clone(),
        env: environment.all(),
    })
}

/// Splits a command into words with shell quoting; nothing is expanded.
fn words_of(value: &OsStr) -> Result<Vec<OsString>, String> {
    // Nobody types bytes that are not UTF-8; such a value is taken as one word.
    let Some(value) = value.to_str() else { return Ok(vec![value.to_owned()]) };
    let words = shell_words::split(value).map_err(|_| "a quote is not closed".to_owned())?;
    Ok(words.into_iter().map(OsString::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_is_named_with_its_arguments_as_in_a_shell() {
        let words = |value: &str| words_of(OsStr::new(value));
        assert_eq!(words("vi").unwrap(), ["vi"]);
        assert_eq!(words(" code  --wait ").unwrap(), ["code", "--wait"]);
        assert_eq!(words("emacsclient -a '' -c").unwrap(), ["emacsclient", "-a", "", "-c"]);
        assert_eq!(
            words(r#""/opt/my editor/e" -x\ y "a\"b""#).unwrap(),
            ["/opt/my editor/e", "-x y", "a\"b"]
        );
        assert_eq!(words("vi $(id); `id` $HOME").unwrap(), ["vi", "$(id);", "`id`", "$HOME"]);
        assert_eq!(words("vi 'x"), Err("a quote is not closed".to_owned()));
        assert_eq!(words("  ").unwrap(), [""; 0]);
    }

    #[test]
    fn the_line_feed_of_the_editor_is_no_part_of_the_text() {
        let cut = |before: &str, text: &str| as_before(before, text.to_owned());
        assert_eq!(cut("a", "a\n"), "a");
        assert_eq!(cut("a", "a\n\n"), "a\n");
        assert_eq!(cut("a\n", "a\n"), "a\n");
        assert_eq!(cut("", ""), "");
    }
}
