//! Detects text that looks like a key or password. Pure.
//!
//! It must not be taken for proof: a secret without a known form is not found.

/// Key prefixes, each with the minimum number of key characters that must follow. A key character must not
/// precede one.
const PREFIXES: [(&str, usize); 20] = [
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 35),
    ("ghp_", 36),
    ("gho_", 36),
    ("ghu_", 36),
    ("ghs_", 36),
    ("ghr_", 36),
    ("github_pat_", 22),
    ("glpat-", 20),
    ("sk-ant-", 20),
    ("sk-proj-", 20),
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xapp-", 20),
    ("npm_", 36),
    ("pypi-", 40),
    ("hf_", 30),
];
/// Names whose values are keys, in lower case.
const NAMES: [&str; 13] = [
    "_authtoken", "npmauthtoken", "client-key-data", "authorization: bearer", "api_key", "apikey", "api-key",
    "secret_key", "secret_access_key", "access_token", "auth_token", "client_secret", "private_key",
];
/// The minimum length of a key after such a name.
const VALUE: usize = 20;

/// Whether something in the text looks like a key.
pub(crate) fn is_in(text: &[u8]) -> bool {
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        // UTF-16, of which every other byte of such a line is 0.
        let narrow: Vec<u8> = text[2..].iter().copied().filter(|byte| *byte != 0).collect();
        return is_in(&narrow);
    }
    // A binary file contains any byte sequence by chance.
    if text.iter().take(8000).any(|byte| *byte == 0) {
        return false;
    }
    text.split(|byte| *byte == b'\n').any(|line| {
        is_private_key(line)
            || has_prefix(line)
            || is_named(line)
            || has_token(line)
            || has_password_in_url(line)
    })
}

/// A JSON web token: three base64url parts, of which the first two begin like a JSON object.
fn has_token(line: &[u8]) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    line.split(|byte| !is_letter(*byte) && *byte != b'.').any(|word| {
        let parts: Vec<&[u8]> = word.split(|byte| *byte == b'.').collect();
        parts.windows(3).any(|parts| {
            parts[..2].iter().all(|part| part.starts_with(b"eyJ") && part.len() >= 12) && parts[2].len() >= 16
        })
    })
}

/// `postgres://user:password@host`, `redis://:password@host` or `…://host?password=…`: a literal password in a URL, not a
/// placeholder.
fn has_password_in_url(line: &[u8]) -> bool {
    let mut from = 0;
    while let Some(at) = find(&line[from..], b"://") {
        from += at + 3;
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"`<>\\".contains(byte);
        let end = line[from..].iter().position(is_end).unwrap_or(line.len() - from);
        let place = &line[from..from + end];
        if password_before_host(place).or_else(|| password_parameter(place)).is_some_and(is_literal) {
            return true;
        }
    }
    false
}

/// What stands between the first colon and the last `@` of a URL without its scheme. A number and a slash are a port and a
/// path.
fn password_before_host(place: &[u8]) -> Option<&[u8]> {
    let at = place.iter().rposition(|byte| *byte == b'@')?;
    let colon = place[..at].iter().position(|byte| *byte == b':')?;
    let password = &place[colon + 1..at];
    let slash = password.iter().position(|byte| *byte == b'/').unwrap_or(password.len());
    let is_port = slash < password.len() && password[..slash].iter().all(u8::is_ascii_digit);
    (!is_port && !place[..colon].contains(&b'/')).then_some(password)
}

/// The value of a parameter for a password in a URL.
fn password_parameter(place: &[u8]) -> Option<&[u8]> {
    let lower = place.to_ascii_lowercase();
    let begin = [b"password=".as_slice(), b"passwd=", b"pwd="]
        .into_iter()
        .find_map(|name| find(&lower, name).map(|at| at + name.len()))?;
    let value = &place[begin..];
    Some(&value[..value.iter().position(|byte| b"&;')".contains(byte)).unwrap_or(value.len())])
}

/// Whether a password stands for itself, and not for one that is put in its place: `$PASSWORD`, `${PASSWORD}`, `{password}`,
/// `[password]`, `***`, `%s`.
fn is_literal(password: &[u8]) -> bool {
    let is_name = |name: &[u8]| name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_in = |open: u8, close: u8| password.contains(&open) && password.contains(&close);
    let is_placeholder = is_in(b'{', b'}')
        || is_in(b'[', b']')
        || is_in(b'(', b')')
        || password.strip_prefix(b"$").is_some_and(is_name)
        || password.iter().all(|byte| matches!(byte, b'x' | b'X' | b'*' | b'.'))
        || matches!(password, [b'%', sign] if sign.is_ascii_alphabetic());
    !is_placeholder
}

/// Detects `-----BEGIN … PRIVATE KEY-----`.
fn is_private_key(line: &[u8]) -> bool {
    find(line, b"-----BEGIN ").is_some_and(|start| find(&line[start..], b"PRIVATE KEY").is_some())
}

fn has_prefix(line: &[u8]) -> bool {
    PREFIXES.iter().any(|(prefix, n)| {
        let mut from = 0;
        while let Some(at) = find(&line[from..], prefix.as_bytes()) {
            let (start, end) = (from + at, from + at + prefix.len());
            let is_start = start == 0 || !is_sign(line[start - 1]);
            if is_start && run(&line[end..]).len() >= *n && is_mixed(run(&line[end..])) {
                return true;
            }
            from = end;
        }
        false
    })
}

/// Detects `api_key = "…"`: a long value of letters and digits after a name for a key.
fn is_named(line: &[u8]) -> bool {
    let lower = line.to_ascii_lowercase();
    NAMES.iter().any(|name| {
        let Some(at) = find(&lower, name.as_bytes()) else { return false };
        let rest = &line[at + name.len()..];
        let rest =
            rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest).trim_ascii_start();
        let Some(rest) = rest.strip_prefix(b"=").or_else(|| rest.strip_prefix(b":")) else { return false };
        let value = rest.trim_ascii_start();
        let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
        run(value).len() >= VALUE && is_mixed(run(value))
    })
}

fn is_sign(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The key characters at the start of the text.
fn run(text: &[u8]) -> &[u8] {
    let end =
        text.iter().position(|byte| !is_sign(*byte) && !matches!(byte, b'/' | b'+')).unwrap_or(text.len());
    &text[..end]
}

/// Whether there are letters, digits and at least 8 different characters. Words, paths and repeated characters
/// are no keys.
fn is_mixed(text: &[u8]) -> bool {
    let mut kinds: Vec<u8> = text.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    text.iter().any(u8::is_ascii_digit) && text.iter().any(u8::is_ascii_alphabetic) && kinds.len() >= 8
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_utf_16_is_found() {
        let text = format!("DB=postgres://{}@db/app\n", "app:hunter22");
        let wide: Vec<u8> =
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert!(is_in(&wide) && !is_in(&wide[2..]));
    }

    #[test]
    fn keys_are_found_and_words_are_not() {
        // Made up, and assembled here so that no scanner takes this file for a leak.
        let body = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
        for key in [
            format!("AWS={}{}", "AKI", "AIOSFODNN7EXAMPL3"),
            format!("token: {}{body}", "gh".to_owned() + "p_"),
            format!("-----BEGIN OPENSSH {} KEY-----", "PRIVATE"),
            format!("{{\"api_key\": \"{body}\"}}"),
            format!("export CLIENT_SECRET='{body}'"),
            format!("Cookie: session={0}hbGciOiJI.{0}zdWIiOiIx.{body}", "eyJ"),
            format!("DATABASE_URL=postgres://{}@db.example.org:5432/app", "app:hunter2"),
            format!("mongodb+srv://{}@cluster0.example.org/?w=majority", "me:p%40ss"),
            format!("REDIS_URL=redis://{}@cache.example.org:6379/0", ":hunter2"),
            format!("//registry.example.org/:_authToken={body}"),
            format!("npmAuthToken: {body}"),
            format!("DB=postgres://{}@db/app", "app:pa$$w0rd"),
            format!("DB=postgres://{}@db/app", "app:abc*def9"),
            format!("DB=mysql://{}@db/app", "root:pa/ss9"),
            format!("DB=postgres://{}@db/app", "app:pa'ss9"),
            format!("DB=postgres://{}@db/app", "app:a{b9"),
            format!("url: jdbc:postgresql://db/app?user=app&{}=hunter22", "password"),
            format!("jdbc:sqlserver://db:1433;user=sa;{}=S3cretPw1;", "Password"),
        ] {
            assert!(is_in(key.as_bytes()), "{key}");
        }
        for words in [
            "the api_key is read from the environment",
            "api_key = os.environ[\"SERVICE_API_KEY\"]",
            "ghp_ is how they begin",
            "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "-----BEGIN CERTIFICATE-----",
            "let access_token = fetch_the_access_token_of(user);",
            "postgres://$USER:$PASSWORD@localhost/app and https://example.org:443/a@b",
            "postgres://<user>:<password>@host, ssh://git@example.org:22/x, https://user@example.org",
            "https://example.org/a:b@c and mysql://app:xxxx@db/app",
            "redis://:@cache, redis://:%s@%s:%d, redis://:$PASSWORD@cache, http://:8080/@scope",
            "jdbc:postgresql://db/app?user=app&password=${DB_PASSWORD}, http://a:80/x?pwd=***",
            "eyJ is how base64 of an object begins; eyJhbGciOi.eyJ.x is too short",
            "",
        ] {
            assert!(!is_in(words.as_bytes()), "{words}");
        }
    }
}
