/// What has something to do at the end of a loop's turns: a connection.
protocol LoopClient: AnyObject {
    /// Does what it has put off to the end of the turn.
    func finishTurn()
    /// Takes its handshake on.
    func goOnShakingHands()
}
