package import CommandLineKit
package import FocusClient
package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusScreen
import Synchronization
import SystemKit
import TestSupport

/// An environment for commands: the test's own files, clocks and answers. It records what commands print.
package final class TestContext: Sendable {
    /// The readings of the machine's clocks.
    package struct Clocks {
        /// The wall clock, from which the device estimates shared time.
        package var wall: SharedInstant
        /// The time since the machine started.
        package var sinceBoot: SteadyInstant = 5_000_000
        /// The part of `sinceBoot` for which the machine slept.
        package var slept = Duration.zero
        /// The id of this boot of the machine.
        package var boot = "boot-1"
    }

    /// The properties of standard output.
    package struct Screen {
        let paint: TextColouring
        let glyphs: Glyphs
        let columns: Int
        let isTerminal: Bool

        /// By default, a file in plain text.
        package init(
            paint: TextColouring = .plain, glyphs: Glyphs = .ascii, columns: Int = Console.usualColumns,
            isTerminal: Bool = false
        ) {
            self.paint = paint
            self.glyphs = glyphs
            self.columns = columns
            self.isTerminal = isTerminal
        }
    }

    private let printed = Mutex("")
    private let printedMessages = Mutex("")
    private let askedQuestions = Mutex<[String]>([])
    private let network: NoCommandServices
    /// The laptop's own folder, which is removed with it.
    private let folder: TemporaryHome?
    private let clocks: Mutex<Clocks>
    private let files: Mutex<[String: String]>
    private let environment: Environment
    private let replies: Mutex<[Reply]>
    private let hostName: String
    private let screen: Screen
    private let programs: SystemPrograms
    private let nextReplica: Mutex<UInt64>

    /// A laptop on which no command has run.
    ///
    /// - Parameters:
    ///   - home: The device's folder, for a folder that others use too.
    ///   - folder: The device's folder, if it is only this laptop's.
    ///   - files: The contents of the files that a person may name, by path.
    ///   - replies: The person's reply to each question, in order. If none are left, nobody sits at the terminal.
    ///   - now: The wall clock, in milliseconds since the Unix epoch.
    ///   - firstReplica: The first new replica. Each further one is greater by 1.
    ///   - server: The address of a server that answers only `check()`; nil if there is none.
    ///   - serverEnd: The error with which all other connections end.
    package init(
        home: String? = nil, folder: TemporaryHome? = nil, files: [String: String] = [:],
        replies: [Reply] = [], now: SharedInstant = 0,
        hostName: String = "laptop", firstReplica: UInt64 = 0xA, screen: Screen = Screen(),
        environment: [String: String] = [:],
        programs: SystemPrograms = .none, server: String? = nil,
        serverEnd: SyncEnd = .unreachable(.network("there is no network here"))
    ) {
        network = NoCommandServices(server: server, end: serverEnd)
        self.programs = programs
        self.screen = screen
        self.folder = folder
        let named = (home ?? folder?.path).map { ["FOCUS_HOME": $0] } ?? [:]
        self.environment = Environment(named.merging(environment) { _, given in given })
        self.files = Mutex(files)
        self.replies = Mutex(replies)
        self.hostName = hostName
        clocks = Mutex(Clocks(wall: now))
        nextReplica = Mutex(firstReplica)
    }

    /// The text printed so far, to standard output (`output`) and to standard error (`messages`).
    package var output: String { printed.withLock { $0 } }
    package var messages: String { printedMessages.withLock { $0 } }
    /// The questions that the person was asked.
    package var questions: [String] { askedQuestions.withLock { $0 } }
    /// The number of times that the network was told of a change in the log.
    package var notifications: Int { network.changes }

    /// Advances all clocks by `time`.
    package func pass(_ time: Duration) {
        clocks.withLock {
            $0.wall += time
            $0.sinceBoot += time
        }
    }

    /// Makes the machine sleep for `time`.
    package func doze(_ time: Duration) {
        let before = clocks.withLock { $0.sinceBoot }
        pass(time)
        clocks.withLock { $0.slept += $0.sinceBoot - before }
    }

    /// Changes the clocks.
    package func set(_ change: (inout Clocks) -> Void) { clocks.withLock { change(&$0) } }

    /// Creates a file that a person may name.
    package func put(_ text: String, at path: String) { files.withLock { $0[path] = text } }

    /// The machine on which commands run.
    package var machine: Machine {
        Machine(
            environment: environment,
            platform: Platform(
                clocks: MachineClocks(
                    wall: { self.clocks.withLock { $0.wall } },
                    sinceBoot: { self.clocks.withLock { $0.sinceBoot } },
                    awake: { self.clocks.withLock { $0.sinceBoot - $0.slept } },
                    boot: { self.clocks.withLock { $0.boot } }),
                hostName: { self.hostName }, zone: Platform.process.zone, random: Platform.process.random,
                hasKey: Platform.process.hasKey, archiveKey: Platform.process.archiveKey),
            makeReplica: {
                self.nextReplica.withLock { next in
                    defer { next += 1 }
                    return ReplicaID(rawValue: next)
                }
            })
    }

    /// The context that a command is given.
    package var context: CommandContext {
        CommandContext(
            machine: machine,
            console: Console(
                output: { text throws(SystemError) in self.printed.withLock { $0 += text } },
                messages: { text in self.printedMessages.withLock { $0 += text } }, paint: screen.paint,
                glyphs: screen.glyphs, columns: screen.columns, isTerminal: screen.isTerminal,
                ask: { question in
                    self.askedQuestions.withLock { $0.append(question) }
                    return self.replies.withLock { $0.isEmpty ? .nobody : $0.removeFirst() }
                }),
            open: { path throws(SystemError) in
                guard let text = self.files.withLock({ $0[path] }) else {
                    throw SystemError("\(path) can't be opened", code: 2)
                }
                // Small pieces, so that tests notice code that depends on the pieces' boundaries.
                var rest = Array(text.utf8)[...]
                return ByteSource { () throws(SystemError) in
                    defer { rest = rest.dropFirst(100) }
                    return Array(rest.prefix(100))
                }
            },
            network: network, programs: programs)
    }

    /// The result of one command.
    package struct Result: Equatable {
        /// The command's exit status.
        package let status: ExitStatus
        /// The text written to standard output (`output`) and to standard error (`messages`).
        package let output: String
        package let messages: String

        /// An expected result, to compare with.
        package init(status: ExitStatus, output: String, messages: String) {
            self.status = status
            self.output = output
            self.messages = messages
        }
    }

    /// Runs a command from a line of words separated by spaces.
    package func run(_ words: String) -> Result {
        run(words.split(separator: " ").map(String.init))
    }

    /// Runs each command, and lets this number of seconds pass after it.
    package func play(_ steps: (String, Int64)...) {
        for (words, seconds) in steps {
            _ = run(words)
            pass(.seconds(seconds))
        }
    }

    /// Runs a command.
    package func run(_ words: [String]) -> Result {
        let before = (output.count, messages.count)
        let status = FocusProgram.run(words, in: context)
        return Result(
            status: status, output: String(output.dropFirst(before.0)),
            messages: String(messages.dropFirst(before.1)))
    }
}

extension SystemPrograms {
    /// A system on which no other program can be started.
    package static let none = SystemPrograms(programPath: { "/usr/local/bin/focus" }) {
        words throws(SystemError) in
        throw SystemError("\(words.first ?? "") can't be started", code: 2)
    }
}
