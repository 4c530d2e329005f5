extension EventLoop {
    /// Runs a task's job on the loop's thread, after what was left there before; from any thread. After `stop` it may
    /// never run.
    package func enqueue(_ job: consuming ExecutorJob) { post(.job(UnownedJob(job))) }

    /// The loop as an actor names it: its `unownedExecutor`.
    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    // libuv's callbacks run outside any task, where the runtime can't tell by itself that an actor of the loop
    // may be entered; it asks these.

    /// Traps off the loop's thread: what `assumeIsolated` asks where no task runs.
    package func checkIsolated() { assertCurrent() }

    /// Whether the caller is on the loop's thread, as the runtime asks where it may not trap. It is always known, so
    /// never nil.
    @available(macOS 26, *)
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
