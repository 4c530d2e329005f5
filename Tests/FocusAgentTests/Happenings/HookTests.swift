import FocusCore
import FocusNet
import Foundation
import Glibc
import TestSupport
import TestTraits
import Testing

@testable import FocusAgent
@testable import FocusContact

@Suite("Hooks", .ends(within: .seconds(60)))
final class HookTests {
    private let folder: TemporaryFolder
    private let loop: EventLoop

    init() throws {
        folder = try TemporaryFolder()
        loop = try EventLoop()
        chmod(folder.path, 0o700)
    }

    deinit {
        loop.stop()
        loop.wait()
    }

    private func write(_ script: String, mode: mode_t = 0o755) throws {
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: folder.file("start")))
        chmod(folder.file("start"), mode)
    }

    /// Runs the hook `count` times at once. Returns the reported troubles.
    private func troubles(of count: Int) async -> [HookTrouble] {
        await withCheckedContinuation { continuation in
            loop.run { [loop, path = folder.path] in
                var said: [HookTrouble] = []
                var runner: HookRunner?
                runner = HookRunner(folder: path, on: loop) { trouble in
                    said.append(trouble)
                    guard said.count == count else { return }
                    runner = nil
                    continuation.resume(returning: said)
                }
                let happening = Happening(.start, .own, TimerState(ReplayState(), at: 0))
                for _ in 0..<count { runner?.run(happening, device: "work", at: 0) }
            }
        }
    }

    @Test("of 70 hooks at once 68 run, up to 64 of them after a wait, and 2 are dropped and reported")
    func queue() async throws {
        // A link, because a script written just now might still be open in a process that another test has
        // started. Then it couldn't be run.
        #expect(symlink("/bin/false", folder.file("start")) == 0)
        var (ended, crowdedOut) = (0, 0)
        for trouble in await troubles(of: 70) {
            switch trouble {
            case .ended(_, .exited(1)): ended += 1
            case .crowdedOut(.start): crowdedOut += 1
            default: Issue.record("\(trouble)")
            }
        }
        #expect(ended == 68 && crowdedOut == 2)
    }

    @Test(
        "a hook isn't run if other users can change it or its folder",
        arguments: [0o020, 0o002, 0o022])
    func changeable(by others: mode_t) throws {
        try write("exit 0", mode: 0o755 | others)
        #expect(throws: HookRefusal.changeable(folder.file("start"))) {
            try Hook(for: .start, in: folder.path)
        }
        try write("exit 0")
        #expect(try Hook(for: .start, in: folder.path) != nil)
        chmod(folder.path, 0o700 | others)
        #expect(throws: HookRefusal.changeable(folder.path)) { try Hook(for: .start, in: folder.path) }
    }

    @Test("a hook that is no executable file is refused, and a missing one is nil")
    func refused() throws {
        #expect(try Hook(for: .start, in: folder.path) == nil)
        try write("exit 0", mode: 0o644)
        #expect(throws: HookRefusal.notExecutable(folder.file("start"))) {
            try Hook(for: .start, in: folder.path)
        }
        mkdir(folder.file("stop"), 0o700)
        #expect(throws: HookRefusal.noFile(folder.file("stop"))) { try Hook(for: .stop, in: folder.path) }
    }
}
