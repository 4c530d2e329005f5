import SystemKit
import TestSupport
import TestTraits
import Testing

@Suite("Programs that are waited for", .ends(within: .seconds(60)))
struct ProgramResultTests {
    private func shell(_ script: String) throws -> ProgramResult {
        try ProgramResult.run(["sh", "-c", script])
    }

    @Test("one has no input, and says all that it has to say, and how it ended")
    func results() throws {
        #expect(
            try shell("echo one; echo more >&2; exit 3")
                == ProgramResult(status: 3, text: "one\nmore\n"))
        #expect(try shell("kill -TERM $$") == ProgramResult(status: 128 + SIGTERM, text: ""))
        #expect(try shell("cat") == ProgramResult(status: 0, text: ""))
        let long = try shell("head -c 300000 /dev/zero")
        #expect(long.text.utf8.count == 300_000)
        let missing = #expect(throws: SystemError.self) { try ProgramResult.run(["/nowhere/program"]) }
        #expect(missing == SystemError("/nowhere/program can't be started", code: ENOENT))
    }

    @Test("one that doesn't end in time is killed, and the result says so")
    func late() throws {
        let result = try ProgramResult.run(["sh", "-c", "exec sleep 600"], within: .milliseconds(50))
        #expect(result == ProgramResult(status: 128 + SIGKILL, text: "", hasTimedOut: true))
        // Closing its output is no end.
        let silent = try ProgramResult.run(
            ["sh", "-c", "exec sleep 600 >&- 2>&-"], within: .milliseconds(50))
        #expect(silent.hasTimedOut)
    }

    @Test("a program that it leaves behind isn't waited for, even with the same output")
    func background() throws {
        let result = try shell("sleep 600 & echo $!")
        let process = try #require(pid_t(result.text.filter(\.isNumber)))
        #expect(kill(process, SIGKILL) == 0, "it still runs")
        #expect(!result.hasTimedOut)
    }

    @Test(
        "a signal that this process ignores or blocks ends a program as usual, also one in the background",
        arguments: [SIGPIPE, SIGTERM])
    func signals(signal: Int32) throws {
        ignoreBrokenPipes()
        var (blocked, former) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &blocked, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let words = ["sh", "-c", "kill -\(signal) $$; exit 3"]
        #expect(try ProgramResult.run(words).status == 128 + signal)
        let process = try BackgroundProgram.start("sh", words)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        #expect(status == signal)
    }

    @Test("the ends of its pipes are closed in programs that are started meanwhile")
    func closing() throws {
        // The program reads the flags of its parent's descriptors for its own output.
        let result = try shell(
            """
            pipe=$(readlink /proc/$$/fd/1)
            for descriptor in /proc/$PPID/fd/*; do
                [ "$(readlink "$descriptor")" = "$pipe" ] || continue
                grep flags: "/proc/$PPID/fdinfo/${descriptor##*/}"
            done
            """)
        let flags = result.text.split(whereSeparator: \.isWhitespace).compactMap { Int32($0, radix: 8) }
        #expect(flags.count >= 2, "\(result.text)")
        #expect(flags.allSatisfy { $0 & O_CLOEXEC != 0 }, "\(result.text)")
    }
}
