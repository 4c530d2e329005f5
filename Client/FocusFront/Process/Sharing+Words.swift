import CommandLineKit
package import FocusContact
package import FocusLink
import FocusSync
package import SystemKit

extension SharingFailure {
    /// The reason, with the remedy.
    package var sentence: String {
        switch self {
        case .noServerProgram:
            "There is no 'focusd' beside 'focus' or in PATH, and sharing needs it on this laptop. Install the package lockstep-focusd, or set up a server elsewhere and use 'focus join INVITE'."
        case .otherServer(let addresses):
            "This laptop's group has a server already, at \(addresses.joined(separator: ", ")). 'focus invite' lets another laptop in there. To share from this laptop instead, leave the group with 'focus leave', which keeps a copy of its log, and then share."
        case .away(let addresses):
            "This laptop's group has a server already, at \(addresses.joined(separator: ", ")): it moved there from this laptop, and doesn't answer. If none was started there, 'focus share --move auto' gives the move up, and then 'focus share' works again."
        case .mayHaveMoved:
            "\(SharingText.moveRisk) 'focus share --move auto' in a terminal asks whether to do it."
        case .noPort:
            "No port from 7855 to 7874 is free, nor 7853, so no server can listen here. Free one of them."
        case .system(let error): CommandFailure(error).message
        case .failed(let command, let result): "'\(command)' failed: \(TerminalText.line(result.sentence))"
        case .notReady(let log):
            "The server on this laptop was started, and isn't ready. \(SharingFailure.place(log)) says why."
        case .stillRuns: "The server on this laptop was asked to end, and still runs. Try again in a while."
        case .foreignUnit(let path):
            "\(path) was not written by 'focus share', so it was left as it is. Move it away first."
        case .unknownPort:
            "The server on this laptop runs, but the file that names its port is gone or damaged, and this server doesn't say it. 'focus share --stop' ends it, and then 'focus share' starts it again."
        case .notShared: "This laptop doesn't share. 'focus share' begins that."
        case .stopped:
            "This laptop was the group's server, and no longer shares. 'focus share' continues that, or S in the full screen, under Devices."
        case .portInUse(let port):
            "Port \(port) is in use by another program, and the other laptops know the server on this laptop at that port. End that program, which 'ss -ltnp' names, and share again."
        case .unknownHost(let reason):
            "The other laptops couldn't reach the new server: \(reason). Nothing was changed. Check the name, or give its numeric address."
        case .ownHost(let host):
            "\(host) leads to this laptop only, so the others couldn't reach a server there. Nothing was changed. Name the new server's address on the network."
        }
    }

    /// The exit status of a command that fails for this reason.
    var status: ExitStatus {
        switch self {
        case .stopped: .unreachable
        case .otherServer, .away, .mayHaveMoved, .notShared: .notNow
        case .noServerProgram, .noPort, .system, .failed, .notReady, .stillRuns, .foreignUnit, .unknownPort,
            .portInUse, .unknownHost, .ownHost:
            .failed
        }
    }

    /// Returns the place of the server's messages, as the subject of a sentence.
    ///
    /// - Parameter log: The file of the messages; nil if systemd keeps them.
    package static func place(_ log: String?) -> String {
        log ?? "'journalctl --user -u \(ServerUnit.name)'"
    }
}

extension SharedServer {
    /// Returns the sentence that says that a group's server, which can't be reached, is this laptop's own, and what
    /// to do. Nil if it isn't.
    ///
    /// - Parameter address: The group's server; nil if there is no group.
    package func unreachableSentence(_ address: ServerAddress?) -> String? {
        if hasStopped(address) { return SharingFailure.stopped.sentence }
        if let address, isAway(address) {
            guard record?.hasMoved == true else { return SharingFailure.away(address.addresses).sentence }
            return
                "The group's server moved from this laptop to another machine, and doesn't answer. 'focusd status' there says whether it runs."
        }
        guard isShared(address) else { return nil }
        return isRunning
            ? "The group's server is on this laptop, and doesn't answer. 'focus share --stop' ends it, and then 'focus share' starts it again."
            : "The group's server is on this laptop, and doesn't run. 'focus share' starts it again, or says why it can't."
    }
}

extension ProgramResult {
    /// The program's output, as a sentence.
    package var sentence: String {
        let output = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        let end = hasTimedOut ? "it didn't end in time, and was killed." : "it ended with status \(status)."
        if output.isEmpty { return end }
        if hasTimedOut { return "\(end) \(output)" }
        return output.hasSuffix(".") ? output : "\(output)."
    }
}

extension SharingProblem {
    /// The problem, with the remedy.
    package var sentence: String {
        switch self {
        case .noNetwork:
            "This laptop has no address on a network now, so no other laptop can reach it. Connect it, and share again for a new invite."
        case .noAnswer(let host, let port):
            "The server doesn't answer at this laptop's address \(host), port \(port). A firewall may be in between."
        case .firewall(.ufw, let port):
            "The firewall ufw is on. If it doesn't let the other laptops in: sudo ufw allow \(port)/tcp"
        case .firewall(.firewalld, let port):
            "The firewall firewalld is on, and port \(port) isn't open in its default zone. This opens it: sudo firewall-cmd --add-port=\(port)/tcp --permanent && sudo firewall-cmd --reload"
        }
    }
}

extension SharedInvite {
    /// The sentences about sharing, before the invite: that this laptop is in the group, that it shares, and the
    /// problems. The first is the result.
    package var sentences: [String] {
        let group = isNewGroupOnFormerServer ? [SharingText.newGroup] : []
        let obstacles =
            problems.isEmpty ? [SharingText.otherFirewall(port)] : problems.map(\.sentence)
        let result =
            "This laptop shares the session, at port \(port). While it sleeps, the others go on by themselves."
        return [result] + [joined?.sentence].compactMap(\.self) + group + obstacles
            + (joined?.notices ?? []).map(\.sentence)
    }
}

/// The sentences about the end of sharing, and about a move.
package enum SharingText {
    /// The sentence after a laptop in no group has shared again.
    fileprivate static let newGroup =
        "That is a new group on the server that was here before. If another laptop is still in the group that this laptop has left there, leave the new group and join with an invite from that laptop. If none is, this brings the former history in here from the copy that was kept on leaving, in a folder like left-2025-11-20 beside the log: FOCUS_HOME=COPY focus export | focus import -"

    /// The sentences before a move is given up although the server may run on the other machine.
    package static let moveRisk =
        "It isn't known whether the server runs at the new address: it hasn't answered this laptop, perhaps because of the network. If it was started there, giving the move up could lead to two servers, each with a part of the group's laptops. 'focusd status' there says whether it runs."

    /// Returns the sentence about firewalls that this program can't find: only root may read the rules of nftables
    /// and iptables.
    package static func otherFirewall(_ port: UInt16) -> String {
        "If there is another firewall here, such as rules of nftables, it has to let in TCP port \(port)."
    }

    /// Returns the sentences after sharing was ended.
    package static func stopped(_ end: SharingEnd) -> [String] {
        switch end.state {
        case .outside(isMoving: true):
            return [
                "This laptop no longer shares. It is in no group of that server; laptops that are in one connect at the new address once a server answers there.",
                "'focus share' makes another server with a new group of this laptop, and keeps what is in \(end.data) in a folder beside it.",
            ]
        case .outside(isMoving: false):
            return [
                "This laptop no longer shares. It is in no group of that server; laptops that are in one go on by themselves, offline.",
                "'focus share' starts the server again, for them too, but brings a new group of this laptop. The server's key is in \(end.data), which stays for that.",
            ]
        case .inside(_, .complete(let address)?, _):
            return [
                "This laptop no longer shares. The group's server is at \(address) now, and the group's laptops connect there, this one too.",
                "\(end.data) has the server's key and isn't needed any more, nor is the backup.",
            ]
        case .inside(let sync, let move, let isAlone):
            return stopped(end.data, sync, isMoving: move != nil, isAlone: isAlone)
        }
    }

    /// Returns the sentences after sharing was ended on a laptop in the group. The server runs nowhere now, as far
    /// as is known.
    ///
    /// - Parameters:
    ///   - data: The path of the server's data folder.
    ///   - lastSync: The result of the last sync; nil if there was none.
    ///   - isMoving: Whether a move to another machine was prepared.
    ///   - isAlone: Whether the group has no other laptop.
    private static func stopped(
        _ data: String, _ lastSync: Result<Void, GroupOperationError>?, isMoving: Bool, isAlone: Bool
    ) -> [String] {
        let sync: String? =
            switch lastSync {
            case nil: nil
            case .success?: "Its log is complete."
            case .failure(let error)?:
                "It couldn't sync before, so its log or the server's may lack something until it shares again: \(error.asCommandFailure().message)"
            }
        let others = isAlone ? "" : ", and the other laptops go on by themselves, offline"
        let next =
            isMoving
            ? "No server answers at the new address yet; laptops connect there once one does. To stay with this laptop after all: 'focus share --move auto', then 'focus share'."
            : "'focus share' continues it\(isAlone ? "" : ": the others then connect again without an invite")."
        return ["This laptop no longer shares\(others)."] + [sync].compactMap(\.self)
            + ["\(next) The server's key is in \(data), which stays for that."]
    }

    /// Returns the sentences after a move was prepared.
    ///
    /// - Parameters:
    ///   - address: The new server's address.
    ///   - backup: The path of the backup.
    package static func moving(to address: String, _ backup: String) -> [String] {
        let host = Address(address)?.host ?? address
        let restore = "focusd restore lockstep.backup --data /var/lib/focusd && systemctl enable --now focusd"
        return [
            "The group's laptops learn the address \(address) as they connect, those that are connected within a minute. Until a server answers there, they go on with this laptop.",
            """
            On the new server, where lockstep-focusd is installed, this makes it go on:
              ssh root@\(host) 'umask 077; cat >lockstep.backup && \(restore)' <\(ShellWord.quoted(backup))
            Then, once 'focus devices' has shown each laptop online since now, this ends the server here:
              focus share --stop
            """,
            "\(backup) has the server's key, so remove it afterwards.",
            "To stay with this laptop after all: focus share --move auto",
        ]
    }

    /// The sentence after a move was given up.
    package static let staying =
        "The server stays on this laptop: the group's laptops learn its own addresses again as they connect, and invites name only these. The backup was removed."
}
