//! One HTTP/1.1 request (RFC 9112, as far as needed) over loopback to a server in a named process on this
//! machine.
//!
//! It must not reach any other machine or process: it connects to loopback only, resolves no names, uses no
//! proxy, follows no redirect, and sends nothing before the kernel's socket table shows that the connection
//! ends in the named process. That check between connecting and sending is why no HTTP library is used here.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::action::clock;
use crate::agent::ApiRequest;
use crate::agent::processes::ends_connection;
use crate::model::ProcessId;

/// The time limit of a request.
const LIMIT: Duration = Duration::from_secs(5);
/// How long to wait until the server accepts the connection, and the interval between checks.
const ACCEPTED: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// How much of an answer is read, in bytes.
const LARGEST: usize = 1 << 20;

/// A response. Its content is untrusted.
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
    /// The request was sent, at least in part.
    Perhaps,
}

/// Sends the request to the process on this port and waits for the response.
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

/// A connection that provably ends in the process, with nothing sent yet.
fn connect(process: ProcessId, port: u16) -> Option<TcpStream> {
    let stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), LIMIT).ok()?;
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    stream.set_write_timeout(Some(LIMIT)).ok()?;
    let own_port = stream.local_addr().ok()?.port();
    let deadline = clock::instant() + ACCEPTED;
    // Until the server has accepted it, the connection belongs to no process.
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

/// Parses a complete response; `None` if it is incomplete. A response other than 204 must have a length, which
/// this server always sends.
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
