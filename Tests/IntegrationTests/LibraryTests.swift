import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    /// The linked libraries of a program are loaded before any command begins. The others are opened only
    /// when they are needed.
    @Suite("The programs' libraries")
    struct LibraryTests {
        @Test("the programs are linked with these libraries alone", arguments: ["focus", "focusd"])
        func linked(name: String) throws {
            let program = name == "focus" ? Program.focus : .focusd
            let folder = try TemporaryFolder()
            let read = try Program(path: "/usr/bin/readelf").start(
                ["--wide", "--dynamic", program.path], [:], in: folder, log: folder.file("log")
            ).wait()
            #expect(read.status == 0, "\(read.messages)")
            let needed = read.output.matches(of: /\(NEEDED\).*\[(.*)\]/).map { String($0.output.1) }
            // The runtimes of Swift and C. A release contains Swift's.
            let runtime =
                /(libswift.*|libdispatch|libBlocksRuntime|lib(std)?c(\+\+)?|libm|libgcc_s|ld-linux-.*)\.so(\..*)?/
            #expect(
                needed.filter { $0.wholeMatch(of: runtime) == nil }.sorted() == [
                    "libsqlite3.so.0", "libuv.so.1",
                ])
        }

        /// Returns a wrapper in which a library can't be opened.
        private func lacking(_ library: String, in world: World) throws -> ProgramWrapper {
            let folder = world.folder.fresh("libraries")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try "no library".write(toFile: "\(folder)/\(library)", atomically: false, encoding: .utf8)
            return ProgramWrapper(["/usr/bin/env", "LD_LIBRARY_PATH=\(folder)"])
        }

        @Test(
            "without OpenSSL a laptop goes on alone, and a server doesn't start: both say what to install")
        func alone() throws {
            try World.with { world in
                try world.server.start()
                let invite = try world.server.invite()
                let laptop = world.laptop("work")
                laptop.wrapper = try lacking("libcrypto.so.3", in: world)
                try laptop.press("start", "Write")
                #expect(try laptop.press("status").contains("Write"))
                let joining = try laptop.run("join", invite)
                try world.server.stop()
                world.server.wrapper = try lacking("libcrypto.so.3", in: world)
                try world.server.begin()
                for outcome in [joining, try #require(world.server.process).wait()] {
                    #expect(outcome.status == 1)
                    #expect(
                        outcome.messages.contains("OpenSSL (Debian's package libssl3): "),
                        "\(outcome.messages)")
                }
            }
        }

        @Test(
            "without libpq a server whose store is a file serves; one whose store is in PostgreSQL says what to install"
        )
        func database() throws {
            try World.with { world in
                world.server.wrapper = try lacking("libpq.so.5", in: world)
                try world.server.start()
                try world.join("work")
                #expect(try world.server.stop() == 0)
                try world.server.set("store = postgresql://focusd@db.example.org/focusd\n")
                for words in [["init", "--address", "one.example.org"], ["serve"], ["status"]] {
                    let outcome = try world.server.run(words)
                    #expect(outcome.status == 1)
                    #expect(
                        outcome.messages.contains("libpq (Debian's package libpq5): "), "\(outcome.messages)")
                }
            }
        }

        @Test("without libmicrohttpd a laptop has no page, says what to install, and does everything else")
        func page() throws {
            try World.with { world in
                let laptop = world.laptop("work")
                laptop.wrapper = try lacking("libmicrohttpd.so.12", in: world)
                try laptop.press("start", "Write")
                try laptop.startAgent(until: .answering)
                let outcome = try laptop.run("web", "--print")
                #expect(outcome.status == 1)
                #expect(
                    outcome.messages.contains(
                        "Serving HTTP needs libmicrohttpd (Debian's package libmicrohttpd12): "),
                    "\(outcome.messages)")
                #expect(try laptop.press("status").contains("Write"))
            }
        }

        @Test("without ncurses there is no full screen, which says what to install")
        func screen() throws {
            try World.with { world in
                let libraries = try lacking("libncursesw.so.6", in: world)
                let home = world.folder.file("work")
                let terminal = try TerminalSession(
                    in: world.folder, ["FOCUS_HOME": home, "FOCUS_NO_AGENT": "1"], type: "xterm-256color",
                    rows: 24,
                    columns: 400)
                try terminal.shell("\(libraries.programs.joined(separator: " ")) $FOCUS")
                try terminal.shows("libncursesw6")
                try terminal.shows("'focus status' shows what is running.")
            }
        }
    }
}
