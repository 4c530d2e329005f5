package import CommandLineKit
package import FocusClient
package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusScreen
import Synchronization
import SystemKit
import TestSupport

/// A world for commands to run in: files, clocks and answers of the test's own, and what the command prints.
package final class TestContext: Sendable {
    /// What the machine's clocks show.
    package struct Clocks {
        /// Shared time as it believes.
        package var wall: SharedInstant
        /// Since the machine started.
        package var sinceBoot: SteadyInstant = 5_000_000
        /// How much of that it slept.
        package var slept = Duration.zero
        /// What tells one boot of the machine from another.
        package var boot = "boot-1"
    }

    /// What standard output can show.
    package struct Screen {
        let paint: Paint
        let glyphs: Glyphs
        let columns: Int
        let isTerminal: Bool

        /// A file, in plain text, unless it is said otherwise.
        package init(
            paint: Paint = .plain, glyphs: Glyphs = .ascii, columns: Int = Console.usualColumns,
            isTerminal: Bool = false
        ) {
            self.paint = paint
            self.glyphs = glyphs
            self.columns = columns
            self.isTerminal = isTerminal
        }
    }

    private let printed = Mutex("")
    private let said = Mutex("")
    private let asked = Mutex<[String]>([])
    private let network: NoNetwork
    private let clocks: Mutex<Clocks>
    private let files: Mutex<[String: String]>
    private let environment: Environment
    private let replies: Mutex<[Reply]>
    private let hostName: String
    private let screen: Screen
    private let programs: OtherPrograms
    private let nextReplica: Mutex<UInt64>

    /// A laptop that nothing was run on.
    ///
    /// - Parameters:
    ///   - home: The device's folder.
    ///   - files: Texts by the paths that a person names them by.
    ///   - replies: What a person at the terminal says to each question; none where nobody sits there.
    ///   - server: Where a server answers, though to a look alone.
    ///   - serverEnd: How a connection to one ends otherwise.
    ///   - now: The wall clock, in milliseconds since the Unix epoch.
    package init(
        home: String? = nil, files: [String: String] = [:], replies: [Reply] = [], now: SharedInstant = 0,
        hostName: String = "laptop", firstReplica: UInt64 = 0xA, screen: Screen = Screen(),
        environment: [String: String] = [:],
        programs: OtherPrograms = .none, server: String? = nil,
        serverEnd: SyncEnd = .unreachable(.network("there is no network here"))
    ) {
        network = NoNetwork(server: server, end: serverEnd)
        self.programs = programs
        self.screen = screen
        let named = home.map { ["FOCUS_HOME": $0] } ?? [:]
        self.environment = Environment(named.merging(environment) { _, given in given })
        self.files = Mutex(files)
        self.replies = Mutex(replies)
        self.hostName = hostName
        clocks = Mutex(Clocks(wall: now))
        nextReplica = Mutex(firstReplica)
    }

    /// What was printed so far, to standard output and to standard error.
    package var output: String { printed.withLock { $0 } }
    package var messages: String { said.withLock { $0 } }
    /// What the person was asked.
    package var questions: [String] { asked.withLock { $0 } }
    /// How often the network was told that the log has changed.
    package var notifications: Int { network.changes }

    /// Lets time go by on all clocks.
    package func pass(_ time: Duration) {
        clocks.withLock {
            $0.wall += time
            $0.sinceBoot += time
        }
    }

    /// The machine sleeps for so long.
    package func doze(_ time: Duration) {
        let before = clocks.withLock { $0.sinceBoot }
        pass(time)
        clocks.withLock { $0.slept += $0.sinceBoot - before }
    }

    /// Sets clocks.
    package func set(_ change: (inout Clocks) -> Void) { clocks.withLock { change(&$0) } }

    /// Puts a file where a person may name it.
    package func put(_ text: String, at path: String) { files.withLock { $0[path] = text } }

    /// The machine that it is on.
    package var machine: Machine {
        Machine(
            environment: environment,
            clocks: MachineClocks(
                wall: { self.clocks.withLock { $0.wall } },
                sinceBoot: { self.clocks.withLock { $0.sinceBoot } },
                awake: { self.clocks.withLock { $0.sinceBoot - $0.slept } },
                boot: { self.clocks.withLock { $0.boot } }),
            hostName: { self.hostName },
            makeReplica: {
                self.nextReplica.withLock { next in
                    defer { next += 1 }
                    return ReplicaID(rawValue: next)
                }
            })
    }

    /// The world as a command gets it.
    package var context: CommandContext {
        CommandContext(
            machine: machine,
            console: Console(
                output: { text throws(SystemError) in self.printed.withLock { $0 += text } },
                messages: { text in self.said.withLock { $0 += text } }, paint: screen.paint,
                glyphs: screen.glyphs, columns: screen.columns, isTerminal: screen.isTerminal,
                ask: { question in
                    self.asked.withLock { $0.append(question) }
                    return self.replies.withLock { $0.isEmpty ? .nobody : $0.removeFirst() }
                }),
            open: { path throws(SystemError) in
                guard let text = self.files.withLock({ $0[path] }) else {
                    throw SystemError("\(path) can't be opened", code: 2)
                }
                // In small pieces, so that where they end is seen not to matter.
                var rest = Array(text.utf8)[...]
                return ByteSource { () throws(SystemError) in
                    defer { rest = rest.dropFirst(100) }
                    return Array(rest.prefix(100))
                }
            },
            network: network, programs: programs)
    }

    /// What one command did.
    package struct Result: Equatable {
        /// What the command exits with.
        package let status: ExitStatus
        /// What it wrote to standard output and to standard error.
        package let output: String
        package let messages: String

        /// What a command should have done.
        package init(status: ExitStatus, output: String, messages: String) {
            self.status = status
            self.output = output
            self.messages = messages
        }
    }

    /// Runs a command, its words parted by spaces, and gives what it printed.
    package func run(_ words: String) -> Result {
        run(words.split(separator: " ").map(String.init))
    }

    /// Runs a command of these words.
    package func run(_ words: [String]) -> Result {
        let before = (output.count, messages.count)
        let status = FocusProgram.run(words, in: context)
        return Result(
            status: status, output: String(output.dropFirst(before.0)),
            messages: String(messages.dropFirst(before.1)))
    }
}

extension OtherPrograms {
    /// A system without any.
    package static let none = OtherPrograms(own: { "/usr/local/bin/focus" }) { words throws(SystemError) in
        throw SystemError("\(words.first ?? "") can't be started", code: 2)
    }
}
