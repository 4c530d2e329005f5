import FocusCore
import FocusServerFiles
import FocusServerStore
import FocusSync
import Foundation
import Glibc
import IntegrationSupport
import ServerSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("A store that is moved")
    struct MovingTests {
        /// The number of groups in the store. Each is reported after it was moved.
        private static let groups = 16
        /// The number of kills in each direction. After each kill the move is started again.
        private static let kills = 8

        /// A digest of a store's contents. A replica's chain covers all of its events.
        private struct Content: Equatable {
            var heads: [GroupID: [ReplicaID: ReplicaHead]] = [:]
            var epochs: [GroupID: [EpochID: EpochID?]] = [:]
            var devices: [GroupID: [StoredDevice]] = [:]

            init(_ folder: DataFolder) throws {
                let store = try folder.openStore(.reading)
                let (logs, known) = try store.read { (try $0.logs(), try $0.devices()) }
                for (group, log) in logs { (heads[group], epochs[group]) = (log.heads, log.epochs) }
                for device in known { devices[device.group, default: []].append(device) }
                for group in devices.keys { devices[group]?.sort { $0.key.precedes($1.key) } }
            }
        }

        /// Fills a store with groups of three replicas and two devices each, and about 400 KB of events in
        /// each group.
        private func fill(_ folder: DataFolder) throws {
            let store = try folder.openStore(.writing)
            for low in 1...UInt64(MovingTests.groups) {
                let group = GroupID(high: 0, low: low)
                try store.write { transaction in
                    try transaction.addGroupWithEpoch(group, now: ServerFixture.now)
                    let number = try #require(try transaction.number(of: group))
                    for device in 0..<2 {
                        try transaction.putDevice(
                            digest(number: Int(low) * 2 + device), inGroup: number, now: 1)
                    }
                    for replica: UInt64 in [1, 1 << 63, .max] {
                        var author = Author(replica, group: group)
                        for _ in 0..<4 {
                            let segment = try author.write(16, bodyLength: 1_936)
                            let stamp = try #require(segment.events.map(\.stamp).max())
                            let head = ReplicaHead(
                                head: Head(seq: segment.lastSeq, chain: author.chain), stamp: stamp)
                            try transaction.addSegment(segment, through: head, group: number)
                        }
                    }
                }
            }
        }

        /// Moves the store and kills the command several times: after a reported group, or before the first
        /// one. Until the move is complete, no server accepts the target.
        ///
        /// - Returns: The number of kills before the move was complete.
        private func move(
            _ server: Server, from source: String, to target: String, _ random: inout SeededGenerator,
            _ repeating: Comment
        ) throws -> Int {
            let words = ["migrate", "--from", source, "--to", target]
            try server.set(target == "folder" ? "" : "store = \(target)\n")
            for killed in 0..<MovingTests.kills {
                // The first kills come early, because groups that are already there are skipped fast.
                let most = (killed + 1) * MovingTests.groups / (MovingTests.kills + 1)
                let after = Int.random(in: 0...most, using: &random)
                let pause = Int32.random(in: 0...10, using: &random)
                let move = try server.command(words)
                try eventually("groups \(after) are said to be moved: \(move.messages)") {
                    after == 0 || !move.isRunning || move.messages.contains("Moved: groups \(after) of")
                }
                // A random pause, so that the kill happens at any point.
                poll(nil, 0, pause)
                guard move.isRunning else {
                    let outcome = try move.wait()
                    #expect(outcome.status == 0, "\(outcome.messages); \(repeating)")
                    return killed
                }
                try move.kill()
                let refused = try server.run(["verify"])
                // The move was complete when it was killed.
                guard refused.status != 0 else { return killed + 1 }
                #expect(refused.status == 1, "\(refused.messages); \(repeating)")
            }
            let done = try server.run(words)
            #expect(done.status == 0, "\(done.messages); \(repeating)")
            #expect(
                done.output.contains("groups \(MovingTests.groups), events"), "\(done.output); \(repeating)")
            return MovingTests.kills
        }

        @Test("a move that is killed at any moment is begun again, both ways, and ends with all of it, once")
        func killed() throws {
            let given = ProcessInfo.processInfo.environment["MOVING_SEED"].flatMap { UInt64($0) }
            let seed = given ?? UInt64.random(in: 0...9_999)
            let repeating: Comment =
                "MOVING_SEED=\(seed) repeats when it is killed; not what it is at by then"
            print("moving: \(repeating)")
            var random = SeededGenerator(seed: seed)
            let database = try TestPostgreSQL()
            try World.with { world in
                let (server, uri) = (world.server, try database.makeDatabaseText())
                try server.setUp()
                let folder = DataFolder(path: server.data)
                try fill(folder)
                let before = try Content(folder)

                let there = try move(server, from: "folder", to: uri, &random, repeating)
                try FileManager.default.removeItem(atPath: folder.store)
                var inDatabase = folder
                inDatabase.place = try #require(StoreLocation(uri))
                #expect(try Content(inDatabase) == before, repeating)
                try server.done(["verify"])

                let back = try move(server, from: uri, to: "folder", &random, repeating)
                #expect(there > 0 && back > 0, repeating)
                try database.stop()
                #expect(try Content(folder) == before, repeating)
                try server.done(["verify"])
                // The unfinished copy beside the store is gone.
                let left = try FileManager.default.contentsOfDirectory(atPath: server.data)
                #expect(!left.contains { $0.contains("moving") }, "\(left); \(repeating)")
                try server.start()
            }
        }
    }
}
