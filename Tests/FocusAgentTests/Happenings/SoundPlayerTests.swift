import ClientSupport
import FocusNet
import Foundation
import SystemKit
import TestSupport
import Testing

@testable import FocusAgent

@Suite("Playing the bell's sound")
final class SoundPlayerTests {
    private let time: VirtualTime
    private let home = TemporaryHome()
    private var started: [[String]] = []
    private var running: [(ChildProcess.End) -> Void] = []
    private var rings = 0
    private var played: [String] = []

    init() { time = VirtualTime(TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)) }

    /// A player for a folder with programs of these names.
    private func player(_ programs: [String], file: String? = "/bell.wav") throws -> SoundPlayer {
        try FileManager.default.createDirectory(atPath: home.path, withIntermediateDirectories: true)
        for program in programs {
            let path = "\(home.path)/\(program)"
            try Data().write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }
        return SoundPlayer(
            time, file: file, in: Environment(["PATH": home.path]),
            start: { [unowned self] words, ended throws(NetError) in
                started.append(words)
                running.append(ended)
                return { self.running.removeFirst()(.signalled(9)) }
            }, didPlay: { [unowned self] in played.append($0) }, ring: { [unowned self] in rings += 1 })
    }

    @Test("the first program that works plays it, once at a time")
    func programs() throws {
        let player = try player(["paplay", "canberra-gtk-play"])
        player.play()
        player.play()
        running.removeFirst()(.exited(1))
        #expect(started == [["paplay", "/bell.wav"], ["canberra-gtk-play", "-f", "/bell.wav"]])
        running.removeFirst()(.exited(0))
        #expect(rings == 0 && played == ["canberra-gtk-play"])
        player.play()
        #expect(started.count == 3)
    }

    @Test("without a program or the sound's file, the terminal's bell rings")
    func bell() throws {
        for silent in [try player([]), try player(["pw-play"], file: nil)] {
            #expect(!silent.canPlay)
            silent.play()
        }
        #expect(rings == 2 && started.isEmpty)
        let failing = try player(["pw-play"])
        #expect(failing.canPlay)
        failing.play()
        running.removeFirst()(.exited(1))
        #expect(rings == 3 && !failing.canPlay)
        failing.play()
        #expect(started.count == 2 && !failing.canPlay, "until it has worked")
        running.removeFirst()(.exited(0))
        #expect(failing.canPlay)
    }

    @Test("a program that hangs is killed")
    func hanging() throws {
        let player = try player(["pw-play"])
        player.play()
        time.pass(.seconds(10))
        #expect(running.isEmpty && rings == 0)
        player.play()
        #expect(started.count == 2)
    }

    @Test("the sound is looked for beside the program, and then in the folders for data")
    func file() throws {
        let folder = "\(home.path)/share/sounds/lockstep"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: "\(folder)/bell.wav"))
        try FileManager.default.createDirectory(
            atPath: "\(home.path)/bin", withIntermediateDirectories: true)
        let none = Environment(["XDG_DATA_DIRS": "/nowhere"])
        #expect(
            SoundPlayer.file(in: none, besides: "\(home.path)/bin/focus")
                == "\(home.path)/bin/../share/sounds/lockstep/bell.wav")
        #expect(SoundPlayer.file(in: none, besides: "focus") == nil)
        let data = Environment(["XDG_DATA_DIRS": "/nowhere:\(home.path)/share"])
        #expect(SoundPlayer.file(in: data, besides: "focus") == "\(folder)/bell.wav")
    }
}
