import FocusText

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The page of a server in a browser. Scripts in the page measure with its own clock, in milliseconds.
struct MeasuredPage {
    private let browser: DevTools
    private let address: String

    /// A page that isn't open yet.
    init(_ browser: DevTools, address: String) {
        self.browser = browser
        self.address = address
    }

    /// A script's first lines: `send` sends a request to the device as the page does, and `pause` waits.
    private static let beginning = """
        const { send } = await import(`${location.origin}/source.js`);
        const press = (body) => send("/press", { method: "POST", body: JSON.stringify(body) });
        const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

        """

    // MARK: - The first sync

    /// The figures of a first sync.
    struct FirstSync {
        /// The time from the press of the button to the sentence that it is done.
        let seconds: Double
        /// The longest time until the device answered a request.
        let longestAnswer: Double
        /// The longest time in which the page's own thread did nothing else.
        let longestTurn: Double
    }

    /// Opens the page, waits until the browser has all of its files, and joins a group.
    func join(_ invite: String) throws -> FirstSync {
        try browser.open("\(address)#\(invite)")
        try browser.run(
            """
            await navigator.serviceWorker.ready;
            while (navigator.serviceWorker.controller === null
              || !document.getElementById("join-invite").value.startsWith("lockstep1-")) {
              await new Promise((resolve) => setTimeout(resolve, 20));
            }
            """)
        let figures = try numbers(
            in: browser.run(
                MeasuredPage.beginning + """
                    let isOver = false;
                    let [longestAnswer, longestTurn] = [0, 0];
                    const turns = (async () => {
                      while (!isOver) {
                        const began = performance.now();
                        await pause(1);
                        longestTurn = Math.max(longestTurn, performance.now() - began);
                      }
                    })();
                    const answers = (async () => {
                      while (!isOver) {
                        const began = performance.now();
                        await (await send("/devices.json")).arrayBuffer();
                        longestAnswer = Math.max(longestAnswer, performance.now() - began);
                        // Seldom, because an answer may take as long as a part of the sync.
                        await pause(500);
                      }
                    })();
                    const joined = new Promise((resolve) => {
                      new MutationObserver(() => {
                        const { textContent } = document.getElementById("outcome");
                        if (textContent.includes("is in the group now")) resolve(performance.now());
                      }).observe(document.body, { subtree: true, childList: true, characterData: true });
                    });
                    const began = performance.now();
                    document.getElementById("join").click();
                    const ended = await joined;
                    isOver = true;
                    await Promise.all([turns, answers]);
                    return [(ended - began) / 1000, longestAnswer, longestTurn];
                    """))
        guard figures.count == 3 else { throw Programs.Failed(description: "no figures: \(figures)") }
        return FirstSync(seconds: figures[0], longestAnswer: figures[1], longestTurn: figures[2])
    }

    /// Returns the bytes of the module's memory, which never shrinks.
    func memory() throws -> Double { Double(try browser.memory(ofWorker: "/device-worker.js")) }

    /// Returns the number of events in the device's log.
    func eventCount() throws -> Int64 {
        try browser.run(
            MeasuredPage.beginning + """
                return (await (await send("/log.jsonl")).text()).split("\\n").length - 1;
                """
        ).number ?? 0
    }

    // MARK: - Warm starts

    /// The times of a start.
    struct Start {
        /// The time from the navigation to the frame with the right time.
        let shown: Double
        /// The time from there until a press is done and stored.
        let pressed: Double
    }

    /// Opens the page `count` times, and presses as soon as it shows the right time.
    ///
    /// - Parameter end: The end of the running phase, in milliseconds since 1970.
    func starts(_ count: Int, showing end: Int64) throws -> [Start] {
        let watch = """
            window.shown = new Promise((resolve) => {
              const observer = new MutationObserver(() => {
                const clock = document.getElementById("clock")?.textContent.match(/^(\\d+):(\\d\\d)$/);
                const seconds = clock ? 60 * Number(clock[1]) + Number(clock[2]) : NaN;
                // The clock counts whole seconds, the present one too.
                if (!(Math.abs(1000 * seconds - 500 - (\(end) - Date.now())) <= 600)) return;
                observer.disconnect();
                requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
              });
              observer.observe(document, { subtree: true, childList: true, characterData: true });
            });
            """
        var starts: [Start] = []
        try browser.withScript(watch) {
            // The first ones fill the browser's caches.
            for number in -3..<count {
                try browser.open("\(address)?\(number)#timer")
                let times = try numbers(
                    in: browser.run(
                        """
                        const shown = await window.shown;
                        \(MeasuredPage.beginning)
                        const answer = await press({ press: "label", label: "Start \(number)" });
                        if (!answer.ok) throw new Error(await answer.text());
                        return [shown, performance.now() - shown];
                        """))
                guard times.count == 2 else { throw Programs.Failed(description: "no times: \(times)") }
                if number >= 0 { starts.append(Start(shown: times[0], pressed: times[1])) }
                // The device connects again, and the page reads the history.
                poll(nil, 0, 1_000)
            }
        }
        return starts
    }

    // MARK: - Presses

    /// Begins `count` presses that pause the timer. Each follows once another device has resumed it after the
    /// one before.
    func beginPresses(_ count: Int) throws {
        try browser.run(
            """
            window.presses = (async () => {
            \(MeasuredPage.beginning)
              const button = document.getElementById("main-button");
              const becomes = (word) => new Promise((resolve) => {
                const look = () => {
                  if (button.textContent !== word) return;
                  observer.disconnect();
                  resolve(performance.now());
                };
                const observer = new MutationObserver(look);
                observer.observe(button, { subtree: true, childList: true, characterData: true });
                look();
              });
              const [stored, back] = [[], []];
              while (back.length < \(count)) {
                await becomes("Pause");
                // The page reads the history after each press.
                await pause(100);
                const began = performance.now();
                const paused = becomes("Resume");
                const answer = await press({ press: "pause" });
                if (!answer.ok) throw new Error(await answer.text());
                stored.push(performance.now() - began);
                await paused;
                back.push((await becomes("Pause")) - began);
              }
              return { stored, back };
            })();
            """)
    }

    /// Waits for the presses. Returns the times until each is stored, and until the page shows the press that
    /// follows it on the other device.
    func endPresses() throws -> (stored: [Double], back: [Double]) {
        let times = try browser.run("return await window.presses;")
        return (numbers(in: times["stored"] ?? .null), numbers(in: times["back"] ?? .null))
    }

    /// Returns the numbers in an array of a script.
    private func numbers(in array: JSON) -> [Double] {
        guard case .array(let elements) = array else { return [] }
        return elements.compactMap { element in
            if case .number(let digits) = element { Double(digits) } else { nil }
        }
    }
}
