import FocusCore
import FocusDevice
import FocusLink
import SQLiteKit
import TestSupport

// A laptop reports each thing that it did by itself, once, and nothing else.
extension NaiveReturning {
    /// The summaries of what was decided about time asleep, in order.
    func summaries(at now: SharedInstant) -> [String] {
        suspensionOutcomes.compactMap { outcome in
            switch outcome {
            case .nothing: nil
            case .pause(_, let at): SuspensionHandling.Deed.paused(ago: max(.zero, now - at)).summary
            case .takeBack: SuspensionHandling.Deed.tookBack.summary
            }
        }
    }
}

extension SyncNotice {
    /// The notice's summary of what the laptop did by itself, or nil if it is about something else.
    var summary: String? {
        switch self {
        case .returned(let deeds): "\(deeds.map(\.naive))"
        case .woke(let deed): deed.summary
        default: nil
        }
    }
}

extension SyncNotice.Returned {
    /// This report as the plain rules name it.
    fileprivate var naive: NaiveReport {
        switch self {
        case .stoppedOwn: .stoppedOwn
        case .adopted: .adopted
        case .closed: .closed
        case .joined: .joined
        case .tookBack(let presses, _): .tookBack(presses.count)
        case .putBack(let presses, _): .putBack(presses.count)
        case .setAnew(let key): .setAnew(key)
        case .wentOn: .wentOn
        case .kept(let work): .kept(work)
        }
    }
}

extension Laptop {
    /// Records the reports that the laptop must make next, and checks at the end of this instant that
    /// `checkSaid` saw them all.
    func expectReports(_ naive: NaiveReturning, at now: SharedInstant) {
        let reports = (naive.reports.isEmpty ? [] : ["\(naive.reports)"]) + naive.summaries(at: now)
        expectedReports = reports
        guard !reports.isEmpty else { return }
        let life = life
        world.schedule(at: world.now, by: source) { [weak self] in
            guard let self, self.life == life, disk.hasPower else { return }
            world.require(expectedReports?.isEmpty ?? true, "what a laptop wrote by itself it says") {
                "\(self.name) didn't say \(self.expectedReports ?? [])"
            }
        }
    }

    /// Checks a notice against the reports that the laptop must make next, if these are known.
    func checkSaid(_ notice: SyncNotice) {
        guard let summary = notice.summary, var expectedReports else { return }
        world.require(expectedReports.first == summary, "a laptop says what it wrote by itself, once") {
            "\(name) said \(summary), not \(expectedReports)"
        }
        if !expectedReports.isEmpty { expectedReports.removeFirst() }
        self.expectedReports = expectedReports
    }
}

/// Observes a command that goes to the server. Checks the events that the laptop writes by itself meanwhile,
/// and the command's reports of them.
final class OperationObserver: SelfWriteObserver {
    private unowned let laptop: Laptop
    private weak var runner: OperationRunner?

    init(_ laptop: Laptop, _ runner: OperationRunner) {
        self.laptop = laptop
        self.runner = runner
    }

    func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {
        let before = runner?.notices.count ?? 0
        // `checkWritten` sets the laptop's expected reports, or nil if they aren't known. The command must
        // make them here, so the reports that the agent must make are restored.
        let expectedOfAgent = laptop.expectedReports
        laptop.checkWritten(written, on: occasion, at: now)
        let expectedOfCommand = laptop.expectedReports
        laptop.expectedReports = expectedOfAgent
        guard let expected = expectedOfCommand, let runner else { return }
        let life = laptop.life
        laptop.world.schedule(at: laptop.world.now, by: laptop.source) { [laptop] in
            guard laptop.life == life, laptop.disk.hasPower else { return }
            let reports = runner.notices.dropFirst(before).compactMap(\.summary)
            laptop.world.require(reports == expected, "a command says what its laptop wrote by itself, once")
            {
                "\(laptop.name) said \(reports), not \(expected)"
            }
        }
    }
}
