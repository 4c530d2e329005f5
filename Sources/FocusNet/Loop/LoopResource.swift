/// Something open on an event loop, which has to be closed before the loop can end.
protocol LoopResource: AnyObject {
    /// The loop is stopping: close. May be called again while that is under way.
    func loopIsStopping()
}
