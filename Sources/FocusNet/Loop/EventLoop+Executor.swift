extension EventLoop {
    package func enqueue(_ job: consuming ExecutorJob) { post(.job(UnownedJob(job))) }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    // libuv's callbacks run outside any task, where the runtime can't tell by itself that an actor of the loop
    // may be entered; it asks these.

    package func checkIsolated() { assertCurrent() }

    @available(macOS 26, *)
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
