//! The file of texts of a language as TOML. Part of the build script and of tests: the program has the table that the
//! build made of it.

use std::collections::BTreeMap;

/// The texts of a file by section and key; one that is written as a table (`one`, `other`) has a key for each of
/// its forms.
///
/// # Errors
/// The file is no TOML, or holds what is no text.
pub(super) fn read(file: &str) -> Result<BTreeMap<String, String>, String> {
    fn add(texts: &mut BTreeMap<String, String>, path: &str, value: toml::Value) -> Result<(), String> {
        if let toml::Value::Table(table) = value {
            return table.into_iter().try_for_each(|(key, value)| {
                add(texts, &if path.is_empty() { key } else { format!("{path}.{key}") }, value)
            });
        }
        let text = value.as_str().ok_or_else(|| format!("{path} is no text: {value}"))?;
        texts.insert(path.to_owned(), text.to_owned());
        Ok(())
    }
    let mut texts = BTreeMap::new();
    let table: toml::Table = file.parse().map_err(|error: toml::de::Error| error.to_string())?;
    add(&mut texts, "", toml::Value::Table(table))?;
    Ok(texts)
}
