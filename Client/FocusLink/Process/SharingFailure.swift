package import SystemKit

/// The reason why this laptop can't share, or can't stop it.
package enum SharingFailure: Error, Hashable, Sendable {
    /// There is no `focusd` beside `focus`, and none in PATH.
    case noServerProgram
    /// The laptop's group has another server, at these addresses.
    case otherServer([String])
    /// The server of this laptop's group was this laptop, and moves to another machine. The addresses are those of
    /// the group's server.
    case away([String])
    /// The server ended here after a move was prepared, and may run on the other machine. Giving the move up
    /// needs a confirmation.
    case mayHaveMoved
    /// The usual port and those after it are in use.
    case noPort
    /// A file can't be written, or a program can't be started.
    case system(SystemError)
    /// A program failed.
    case failed(command: String, ProgramResult)
    /// The server was started and isn't ready. The file has its messages; nil if systemd keeps them.
    case notReady(log: String?)
    /// The server was asked to end and still runs.
    case stillRuns
    /// Another program has written the unit's file at this path.
    case foreignUnit(String)
    /// The server runs, its record is lost, and it doesn't say at which port it listens.
    case unknownPort
    /// This laptop doesn't share.
    case notShared
    /// The server of this laptop's group was this laptop, which no longer shares.
    case stopped
    /// The other laptops know the server at this port, and another program uses it.
    case portInUse(UInt16)
    /// The host name in the new server's address has no address, for this reason.
    case unknownHost(String)
    /// Only this laptop can reach this address.
    case ownHost(String)
}

/// A reason why other laptops may not reach the server that this laptop shares.
package enum SharingProblem: Hashable, Sendable {
    /// The laptop has no address on any network.
    case noNetwork
    /// The server doesn't answer at this address of the laptop.
    case noAnswer(host: String, port: UInt16)
    /// This firewall is active, and may not let the port in.
    case firewall(Firewall, port: UInt16)

    /// A firewall's program.
    package enum Firewall: Hashable, Sendable { case ufw, firewalld }
}
