import FocusServerStore
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import FocusServing
@testable import FocusWriter

@Suite struct ServerStateTests {
    private let state = ServerState(store: StoreHealth.file(StoreFile(isThere: true, bytes: 1, free: 1)))

    @Test("a server that can store presses has no trouble") func ready() {
        var state = state
        #expect(state.troubles == [])
        // Stamps in the future in one group don't keep the server from serving the others.
        state.logAhead = .seconds(3_600)
        state.storeSilence = .seconds(2)
        #expect(state.troubles == [])
    }

    @Test("a clock behind the time served, or one that jumped, is a trouble") func clock() {
        var state = state
        let remedy = ": set the clock right, or if it is right now, accept it (focusd clock accept)."
        state.clock = .behind(by: .seconds(3_600))
        #expect(
            state.sentences == ["The clock is 3600 s behind the time served before\(remedy)"])
        state.clock = .jumped(by: .seconds(-180))
        #expect(state.sentences == ["The clock has jumped back by 180 s\(remedy)"])
        state.clock = .jumped(by: .seconds(180))
        #expect(state.sentences == ["The clock has jumped ahead by 180 s\(remedy)"])
    }

    @Test("a store that is gone, full, unwritable or silent is a trouble") func store() {
        let gone = ServerState(
            storeProblem: .full, store: StoreHealth.file(StoreFile(isThere: false, bytes: 0, free: 0)))
        #expect(
            gone.sentences == ["The store is gone: restore a backup, or restart the server."])
        #expect(
            gone.sentence(.silent)
                == "Not ready. The store is gone: restore a backup, or restart the server.")
        let full = ServerState(store: StoreHealth.file(StoreFile(isThere: true, bytes: 1, free: 0)))
        #expect(full.sentences == ["The disk with the store is full: make room on it."])
        var state = state
        state.storeProblem = .full
        #expect(state.troubles == full.troubles)
        state.storeProblem = .unwritable
        #expect(state.sentences == ["The store can't be written: the log says why."])
        state.storeProblem = nil
        state.storeSilence = .seconds(16)
        #expect(state.sentences == ["The store's disk hasn't answered for 16 s."])
    }

    @Test("a database that can't be reached or doesn't answer is a trouble, and has no disk to be full")
    func database() {
        var state = ServerState(store: .database(answers: true))
        #expect(state.troubles == [])
        state.storeProblem = .busy(isUnknown: false)
        #expect(state.sentences == ["The store can't be written: the log says why."])
        state.store = .database(answers: false)
        #expect(
            state.sentences == [
                "The database with the store can't be reached: the log says why."
            ])
        state = ServerState(store: .database(answers: true))
        state.storeSilence = .seconds(16)
        #expect(
            state.sentences == ["The database with the store hasn't answered for 16 s."])
    }

    @Test("each trouble has its sentence, and stopping is one") func several() {
        var state = state
        state.isStopping = true
        state.clock = .jumped(by: .seconds(Int64.max))
        state.storeProblem = .unwritable
        #expect(state.troubles.count == 3)
        #expect(state.sentences.first == "The server is stopping.")
    }

    @Test(
        "the state of the store's file has its size, the free space, and whether it is still the opened one"
    )
    func file() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("file")
        try "12345".write(toFile: path, atomically: false, encoding: .utf8)
        let watch = StoreFileCheck(path)
        let seen = watch.measure()
        #expect(seen.isThere && seen.bytes == 5 && seen.free > 0)
        try "123".write(toFile: "\(path)-wal", atomically: false, encoding: .utf8)
        #expect(watch.measure().bytes == 8)
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).old")
        #expect(!watch.measure().isThere)
        try "12345".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(!watch.measure().isThere)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: "\(path).old", toPath: path)
        #expect(watch.measure().isThere)
    }
}

extension ServerState {
    fileprivate var sentences: [String] { troubles.map { $0.sentence(.silent) } }
}
