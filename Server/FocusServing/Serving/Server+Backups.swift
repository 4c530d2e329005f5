import FocusCore
import FocusNet
import FocusServerCore

extension Server {
    /// The automatic backups of a server.
    struct Backups {
        let keeper: BackupKeeper
        var schedule: BackupSchedule
        var state: BackupState
    }

    /// Starts the automatic backups. Called after `start`.
    ///
    /// - Parameter last: The instant of the last backup in the store's records.
    func makeBackups(_ keeper: BackupKeeper, every interval: Duration, last: SharedInstant?) {
        let now = clock.steady()
        // The schedule follows the newest backup in this folder, because the folder may be a new one.
        let age = keeper.last.map { clock.wall() - $0 }
        serving?.backups = Backups(
            keeper: keeper, schedule: BackupSchedule(every: interval, age: age, at: now),
            state: BackupState(interval: interval, last: last))
        loop.schedule(every: .seconds(10)) { [weak self] in self?.assumeIsolated { $0.backUpIfDue() } }
        backUpIfDue()
    }

    /// Makes a backup if one is due.
    private func backUpIfDue() {
        guard switchboard?.isStopping == false,
            serving?.backups?.schedule.begins(at: clock.steady()) == true
        else { return }
        let made = Mailbox<BackupKeeper.Outcome>(on: loop) { [weak self] outcomes in
            self?.assumeIsolated { server in outcomes.forEach(server.handle) }
        }
        serving?.backups?.keeper.begin(at: clock.wall()) { made.post($0) }
    }

    private func handle(_ outcome: BackupKeeper.Outcome) {
        switch outcome.result {
        case .success(let path):
            serving?.backups?.schedule.ended(isMade: true, at: clock.steady())
            serving?.backups?.state.last = outcome.time
            log.write(.info, "backup-made", ["file": .text(path)])
        case .failure(let failure):
            serving?.backups?.schedule.ended(isMade: false, at: clock.steady())
            serving?.backups?.state.failures += 1
            log.write(.error, "backup-failed", ["error": .text(log.sentence(on: failure))])
        }
        for path in outcome.left { log.write(.warning, "backup-not-deleted", ["file": .text(path)]) }
    }
}
