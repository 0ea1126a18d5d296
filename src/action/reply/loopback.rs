//! One request to a server on this machine, over loopback, to a process that was named: HTTP/1.1 (RFC 9112)
//! as far as it takes for that.
//!
//! It must not reach any other machine or process: it connects to the loopback only, looks up no name, takes
//! no proxy and follows no redirect, and sends nothing before the kernel's table says that the connection ends
//! in the process that was named. That check between connecting and sending is why no HTTP library stands
//! here.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::action::clock;
use crate::agent::ApiRequest;
use crate::agent::processes::ends_connection;
use crate::model::ProcessId;

/// How long a request may take.
const LIMIT: Duration = Duration::from_secs(5);
/// How long a server may take to accept a connection, and how often is looked.
const ACCEPTED: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// The most of an answer that is read, in bytes.
const LARGEST: usize = 1 << 20;

/// An answer. Its content is untrusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HttpResponse {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoResponse {
    /// Nothing was sent.
    NotSent,
    /// It was sent, at least in part.
    Perhaps,
}

/// Asks the process by its port, and waits for the answer.
pub(super) fn ask(process: ProcessId, port: u16, request: &ApiRequest) -> Result<HttpResponse, NoResponse> {
    let mut stream = connect(process, port).ok_or(NoResponse::NotSent)?;
    let method = if request.body.is_some() { "POST" } else { "GET" };
    let body = request.body.as_deref().unwrap_or_default();
    let head = format!(
        "{method} {} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: application/json\r\nContent-Type: \
         application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        request.path,
        body.len()
    );
    let deadline = clock::instant() + LIMIT;
    stream.write_all(head.as_bytes()).map_err(|_| NoResponse::Perhaps)?;
    stream.write_all(body.as_bytes()).map_err(|_| NoResponse::Perhaps)?;
    read(&mut stream, deadline).ok_or(NoResponse::Perhaps)
}

/// A connection that ends in the process, with nothing sent.
fn connect(process: ProcessId, port: u16) -> Option<TcpStream> {
    let stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), LIMIT).ok()?;
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    stream.set_write_timeout(Some(LIMIT)).ok()?;
    let own_port = stream.local_addr().ok()?.port();
    let deadline = clock::instant() + ACCEPTED;
    // It belongs to nobody until the server has accepted it.
    while !ends_connection(process, port, own_port) {
        if clock::instant() > deadline {
            return None;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Some(stream)
}

fn read(stream: &mut TcpStream, deadline: Instant) -> Option<HttpResponse> {
    let mut bytes = Vec::new();
    let mut piece = [0; 16 << 10];
    loop {
        if let Some(response) = parse(&bytes) {
            return Some(response);
        }
        if bytes.len() > LARGEST || clock::instant() > deadline {
            return None;
        }
        match stream.read(&mut piece) {
            Ok(0) => return None,
            Ok(n) => bytes.extend_from_slice(&piece[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// The answer, once all of it is there. One without a length is none: this server always tells it.
fn parse(bytes: &[u8]) -> Option<HttpResponse> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let (version, rest) = lines.next()?.split_once(' ')?;
    let status: u16 = rest.split(' ').next()?.parse().ok()?;
    if !version.starts_with("HTTP/1.") || !(200..600).contains(&status) {
        return None;
    }
    let length = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = match length {
        Some((_, length)) => length.trim().parse::<usize>().ok().filter(|length| *length <= LARGEST)?,
        None if status == 204 => 0,
        None => return None,
    };
    let body = bytes.get(end + 4..end + 4 + length)?;
    Some(HttpResponse { status, body: body.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_when_all_of_it_is_there() {
        let ok = b"HTTP/1.1 200 OK\r\nContent-Type: x\r\ncontent-length: 4\r\n\r\ntrue";
        assert_eq!(parse(ok), Some(HttpResponse { status: 200, body: b"true".to_vec() }));
        for end in 0..ok.len() {
            assert_eq!(parse(&ok[..end]), None, "{end}");
        }
        let empty = b"HTTP/1.1 204 No Content\r\n\r\n";
        assert_eq!(parse(empty), Some(HttpResponse { status: 204, body: Vec::new() }));
        for other in [
            "HTTP/1.1 200 OK\r\n\r\nx",
            "HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\n",
            "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            "SSH-2.0-x\r\n\r\n",
        ] {
            assert_eq!(parse(other.as_bytes()), None, "{other}");
        }
    }
}
