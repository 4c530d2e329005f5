package import FocusDevice
import FocusNet
package import SystemKit

/// Plays the bell of a phase's end by a program of the desktop, or else rings the terminal's bell.
package final class SoundPlayer {
    private let time: any Scheduler
    private let start: ProgramStarter
    private let file: String?
    private let programs: [[String]]
    private let didPlay: (String) -> Void
    private let ring: () -> Void
    private var isPlaying = false
    /// Whether no program could play the sound the last time.
    private var hasFailed = false

    /// Whether a program plays the sound, as far as is known.
    package var canPlay: Bool { file != nil && !programs.isEmpty && !hasFailed }

    /// The programs with their options before the file, the likeliest first.
    private static let known = [["pw-play"], ["paplay"], ["canberra-gtk-play", "-f"], ["afplay"]]
    /// The longest time that a program may take.
    private static let patience = Duration.seconds(10)

    /// A player.
    ///
    /// - Parameters:
    ///   - file: The sound's path; nil if it isn't installed.
    ///   - didPlay: Called with a program's name when it has played the sound.
    ///   - ring: Rings the terminal's bell.
    package init(
        _ time: any Scheduler, file: String?, in environment: Environment, start: @escaping ProgramStarter,
        didPlay: @escaping (String) -> Void = { _ in }, ring: @escaping () -> Void
    ) {
        self.time = time
        self.start = start
        self.file = file
        self.didPlay = didPlay
        self.ring = ring
        programs = SoundPlayer.programs(in: environment)
    }

    /// Plays the sound, unless it is playing.
    package func play() {
        guard let file else { return ring() }
        guard !isPlaying else { return }
        play(file, by: programs[...])
    }

    private func play(_ file: String, by programs: ArraySlice<[String]>) {
        isPlaying = false
        guard let program = programs.first else {
            hasFailed = true
            return ring()
        }
        isPlaying = true
        var timeout: (any Alarm)?
        do throws(NetError) {
            let kill = try start(program + [file]) { [weak self] end in
                timeout?.cancel()
                // A program that is killed had begun to play.
                if end == .exited(0) || end == .signalled(9) {
                    self?.isPlaying = false
                    self?.hasFailed = false
                    self?.didPlay(program.first ?? "")
                } else {
                    self?.play(file, by: programs.dropFirst())
                }
            }
            timeout = time.schedule(after: SoundPlayer.patience, kill)
        } catch {
            play(file, by: programs.dropFirst())
        }
    }

    /// Returns the programs that are found with these variables.
    private static func programs(in environment: Environment) -> [[String]] {
        known.filter { words in words.first.map { ProgramPath.isFound($0, in: environment) } ?? false }
    }

    /// The name of the program that plays the sound with these variables; nil if there is none.
    package static func program(in environment: Environment) -> String? {
        programs(in: environment).first?.first
    }

    /// Returns the path of the installed sound; nil if it isn't installed.
    ///
    /// - Parameter program: The path of the running program: the sound is usually installed beside it.
    package static func file(
        in environment: Environment, besides program: String = ProgramPath.present
    ) -> String? {
        let beside = PathParts.parent(of: program).map { ["\($0)/../share"] } ?? []
        let data = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
        let folders = beside + data.split(separator: ":").map(String.init)
        return folders.filter { $0.hasPrefix("/") }.map { "\($0)/sounds/lockstep/bell.wav" }.first {
            access($0, R_OK) == 0
        }
    }
}
