import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync

// The events that the server has reported as stored.
extension ServerMachine {
    /// Records an outcome that the network's thread gets and may report to laptops.
    func record(_ commit: CommitOutcome) {
        commit.deliver { answers in
            for case .groupAdded(let log) in answers {
                deleted.remove(log.name.group)
                // Another server may have brought the group and written to it since.
                for (replica, head) in log.vector.heads { promise(head, of: replica, in: log.name.group) }
            }
        } push: { push in
            guard case .events(let push, let head, let group) = push, !deleted.contains(group) else { return }
            // The server passes on events that other servers stored, too. Only a shared database has keepers.
            let keeper = database?.keeper(of: push.replica, push.lastSeq)
            let isStoredHere = keeper.map { $0.server == running?.news?.server } ?? true
            // If the answer to a commit was lost, the server may have stored the events long before this.
            let isStoredNow = isStoredHere && keeper?.isAnswered != false
            // A server that isn't sure of its clock stores nothing. The check allows 3 seconds for requests
            // that were being served.
            let mustStoreNothing = unsureSince.map { world.now - $0 >= .seconds(3) } ?? false
            world.require(
                !(isStoredNow && mustStoreNothing), "a server that isn't sure of its clock takes nothing"
            ) { "\(push.replica) \(push.firstSeq)...\(push.lastSeq)" }
            trace("commits \(push.replica.rawValue % 1000) \(push.firstSeq)...\(push.lastSeq)")
            if group == world.intruder?.group {
                world.counts.intruded += Int(push.lastSeq - push.firstSeq + 1)
            }
            let before = promised[group, default: [:]][push.replica]?.seq ?? 0
            world.require(head.head.seq >= before, "a server's replica never gets shorter") {
                "\(push.replica) went from \(before) to \(head.head.seq)"
            }
            promise(head.head, of: push.replica, in: group)
            if !isStoredHere {
                database?.reach("stored by another server")
            } else if keeper?.isAnswered == false {
                database?.reach("stored without an answer, and found")
            }
        }
    }

    private func promise(_ head: Head, of replica: ReplicaID, in group: GroupID) {
        promised[group, default: [:]][replica] = head
        database?.promise(head, of: replica, in: group)
    }

    /// Forgets a group that the operator deleted, and all promises about it.
    func forget(_ group: GroupID) {
        database?.forget(group)
        for server in world.servers {
            server.promised[group] = nil
            server.deleted.insert(group)
            server.everDeleted = true
            server.hasLostFutureEvents = server.hasLostFutureEvents || server.wasClockEverWrong
            server.running?.threads.forget(group)
        }
    }

    /// The heads that the server has acknowledged in a group, or nil if the operator deleted the group.
    func promisedHeads(of group: GroupID) -> [ReplicaID: Head]? {
        deleted.contains(group) ? nil : promised[group] ?? [:]
    }

    /// The last seq of a replica that the server has acknowledged.
    func promisedSeq(of replica: ReplicaID, in group: GroupID) -> UInt64 {
        (database?.promised ?? promised)[group]?[replica]?.seq ?? 0
    }

    /// Checks that everything acknowledged is in the store.
    func checkPromises(_ writer: LogWriter) {
        for (group, heads) in database?.promised ?? promised {
            let vector = writer.groups[group]?.vector ?? VersionVector()
            for (replica, head) in heads {
                let found = vector[replica]
                world.require(found.seq >= head.seq, "what a server acknowledged is durable") {
                    "of \(replica) it had \(head.seq) events, and after a crash \(found.seq)"
                }
                if found.seq == head.seq {
                    world.require(found.chain == head.chain, "what a name says never changes on a server") {
                        "\(replica) \(head.seq)"
                    }
                }
            }
        }
    }
}
