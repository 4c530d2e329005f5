import Testing

@testable import SystemKit

@Suite("Where the program is that runs")
struct ProgramPathTests {
    private func found(_ running: String?, _ called: String?, there: Set<String>) -> String {
        ProgramPath.resolve(running: running, called: called) { there.contains($0) }
    }

    @Test("it is where the system says")
    func usual() {
        #expect(found("/a/focus", "focus", there: ["/a/focus", "/b/focus"]) == "/a/focus")
    }

    @Test("after an upgrade that put another in its place, it is that")
    func upgraded() {
        #expect(found("/a/focus (deleted)", "focus", there: ["/a/focus"]) == "/a/focus")
        // A folder that really has this name is found as it is.
        #expect(
            found("/a/focus (deleted)", "focus", there: ["/a/focus", "/a/focus (deleted)"])
                == "/a/focus (deleted)")
    }

    @Test("where nothing is left there, it is what was called by its path, or what PATH has")
    func moved() {
        #expect(found("/a/focus (deleted)", "/b/focus", there: ["/b/focus"]) == "/b/focus")
        #expect(found("/a/focus (deleted)", "/b/focus", there: []) == "focus")
        #expect(found("/a/focus (deleted)", "./focus", there: ["./focus"]) == "focus")
        #expect(found(nil, nil, there: []) == "focus")
    }

    @Test("that a program can't be started is said with the reason")
    func missing() {
        let failure = #expect(throws: SystemError.self) {
            try BackgroundProgram.start("/nowhere/focus", ["focus"])
        }
        #expect(failure?.description == "/nowhere/focus can't be started: No such file or directory")
    }

    @Test("a name is looked for in the folders of PATH, and a path where it says")
    func finding() {
        let environment = Environment(["PATH": "/nowhere:/bin:/usr/bin"])
        #expect(ProgramPath.isFound("sh", in: environment))
        #expect(!ProgramPath.isFound("sh", in: Environment(["PATH": "/nowhere"])))
        #expect(ProgramPath.isFound("/bin/sh", in: Environment(["PATH": "/nowhere"])))
        #expect(!ProgramPath.isFound("/nowhere/sh", in: environment))
        // Without PATH it isn't known which folders the system searches, so the program counts as found.
        #expect(ProgramPath.isFound("sh", in: Environment([:])))
    }

    @Test("a program is beside another one, or else in an absolute folder of PATH")
    func companion() {
        let environment = Environment(["PATH": "../../../../../../bin::/nowhere:/bin"])
        let elsewhere = Environment(["PATH": "/usr/bin"])
        #expect(ProgramPath.find("sh", beside: "/bin/env", in: elsewhere) == "/bin/sh")
        #expect(ProgramPath.find("sh", beside: "/nowhere/focus", in: environment) == "/bin/sh")
        #expect(ProgramPath.find("sh", beside: "focus", in: Environment([:])) == nil)
        #expect(ProgramPath.find("sh", beside: "/nowhere/focus", in: Environment([:])) == nil)
    }
}
