import Dispatch

/// An executor that runs its tasks' jobs one at a time, on a queue of its own instead of the shared threads.
final class ThreadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
