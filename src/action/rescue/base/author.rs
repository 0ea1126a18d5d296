//! Determines the author of a visible commit. It must not invent a name: a commit is the person's own.

use crate::action::rescue::base::{RescueError, Settings};
use crate::git::{Git, Stdin, line};
use crate::model::CommitAuthor;

/// The person's identity as git knows it; `None` if no setting names one.
pub(crate) fn known(git: &Git<'_>, settings: &Settings) -> Result<Option<CommitAuthor>, RescueError> {
    if let Some(named) = named(settings) {
        return Ok(Some(named));
    }
    let output = git.real(["-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT"], Stdin::Lock)?;
    Ok(if output.is_success() { parse(&line(&output)) } else { None })
}

/// The identity where the settings alone tell it: name and mail of the user, none of an author's own, and nothing that
/// git would strip (`strbuf_addstr_without_crud` in its `ident.c`).
fn named(settings: &Settings) -> Option<CommitAuthor> {
    let is_kept = |text: &&str| {
        let is_crud = |c: char| c <= ' ' || ".,:;<>\"\\'".contains(c);
        !text.is_empty()
            && !text.starts_with(is_crud)
            && !text.ends_with(is_crud)
            && !text.contains(['<', '>', '\n'])
    };
    let text = |key| settings.value(key).filter(is_kept).map(str::to_owned);
    let is_other = |key| settings.value(key).is_some();
    if is_other("author.name") || is_other("author.email") {
        return None;
    }
    Some(CommitAuthor { name: text("user.name")?, mail: text("user.email")? })
}

/// Parses `Name <mail> seconds zone`.
fn parse(text: &str) -> Option<CommitAuthor> {
    let (name, rest) = text.split_once(" <")?;
    let (mail, _) = rest.rsplit_once('>')?;
    Some(CommitAuthor { name: name.to_owned(), mail: mail.to_owned() })
}

/// The `-c` options that make `commit-tree` use this identity; none if git already knows it.
pub(crate) fn options(
    git: &Git<'_>,
    settings: &Settings,
    wanted: Option<&CommitAuthor>,
) -> Result<Vec<String>, RescueError> {
    let known = known(git, settings)?;
    let Some(author) = wanted.or(known.as_ref()) else {
        return Err(RescueError::Refused(
            "git knows no name and mail for the commit; give them, or set user.name and user.email"
                .to_owned(),
        ));
    };
    if !author.is_usable() {
        return Err(RescueError::Refused("the name or the mail address cannot be in a commit".to_owned()));
    }
    if known.as_ref() == Some(author) {
        return Ok(Vec::new());
    }
    let options = ["user", "author", "committer"].iter().flat_map(|section| {
        [format!("{section}.name={}", author.name), format!("{section}.email={}", author.mail)]
    });
    Ok(options.flat_map(|setting| ["-c".to_owned(), setting]).collect())
}
