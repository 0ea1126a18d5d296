//! Which process a port of the loopback is, with real sockets and a real child.

use std::net::{TcpListener, TcpStream};

use closeout::agent::process_stat;
use closeout::agent::processes::{ends_connection, listening_ports};
use closeout::model::ProcessId;

fn process(pid: u32) -> ProcessId {
    ProcessId { pid, started_at: process_stat::read(pid).unwrap().started_at }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "another process, to be told from this one")]
fn a_port_is_the_process_that_listens_on_it_and_a_connection_that_of_its_end() {
    let own = process(std::process::id());
    let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let other = process(child.id());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    assert!(listening_ports(own).contains(&port));
    assert!(listening_ports(other).is_empty());
    // The number is the same, and the process another one.
    assert!(listening_ports(ProcessId { started_at: own.started_at + 1, ..own }).is_empty());
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let own_port = stream.local_addr().unwrap().port();
    // It ends nowhere until it is accepted.
    assert!(!ends_connection(own, port, own_port));
    let accepted = listener.accept().unwrap();
    assert!(ends_connection(own, port, own_port));
    assert!(!ends_connection(other, port, own_port));
    assert!(!ends_connection(own, port, own_port ^ 1));
    drop(accepted);
    child.kill().unwrap();
    child.wait().unwrap();
}
