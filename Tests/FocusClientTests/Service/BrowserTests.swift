#if os(Linux)
    import SystemKit
    import Testing

    @testable import FocusClient

    @Suite("Opening the page in the browser")
    final class BrowserTests {
        private var started: [[String]] = []
        private var asked = 0

        private let direct = ["xdg-open", "http://page"]
        private let bySystemd = [
            "systemd-run", "--user", "--quiet", "--collect", "--wait", "--description=Lockstep's page",
            "--property=KillMode=process", "--property=StandardOutput=null", "--property=StandardError=null",
            "xdg-open", "http://page",
        ]

        /// Opens the page in an environment with these variables.
        ///
        /// - Parameters:
        ///   - systemd: The lines of systemd's variables; nil if systemd can't be reached.
        ///   - isFailing: Whether the first start fails.
        private func opens(
            _ variables: [String: String] = [:], systemd: String?, isFailing: Bool = false
        ) -> Bool {
            started = []
            let browser = Browser(
                run: { [unowned self] words throws(SystemError) in
                    asked += 1
                    #expect(words == ["systemctl", "--user", "show-environment"])
                    return ProgramResult(status: systemd == nil ? 1 : 0, text: systemd ?? "No medium found\n")
                },
                start: { [unowned self] words in
                    started.append(words)
                    return !isFailing || started.count > 1
                })
            return browser.open("http://page", Environment(variables))
        }

        @Test("a process of the desktop opens it itself, and asks systemd for nothing")
        func desktop() {
            #expect(opens(["WAYLAND_DISPLAY": "wayland-0"], systemd: "DISPLAY=:0\n"))
            #expect(started == [direct] && asked == 0)
        }

        @Test("a process that is older than the desktop, or of an earlier one, has systemd open it")
        func older() {
            #expect(opens(systemd: "HOME=/home/a\nDISPLAY=:0\n"))
            #expect(started == [bySystemd])
            #expect(opens(["DISPLAY": ":9"], systemd: "WAYLAND_DISPLAY=wayland-0\n", isFailing: true))
            #expect(started == [direct, bySystemd])
        }

        @Test("without a desktop nothing is opened, nor on the desktop of a machine that is reached by SSH")
        func nowhere() {
            #expect(!opens(systemd: "HOME=/home/a\nXDISPLAY=:0\n") && started.isEmpty)
            #expect(!opens(systemd: nil) && started.isEmpty)
            #expect(!opens(["SSH_CONNECTION": "::1 1 ::1 22"], systemd: "DISPLAY=:0\n") && started.isEmpty)
        }
    }
#endif
