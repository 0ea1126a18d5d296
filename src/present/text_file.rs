//! Reads the text file of one language (TOML). Used by the build script and by tests only: the program
//! contains the table that the build generates from it.

use std::collections::BTreeMap;

/// The texts of a file by section and key; one written as a table (`one`, `other`) has a key per form.
///
/// # Errors
/// The file is not TOML, or a value is not a string.
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
