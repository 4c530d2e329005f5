/// Whoever answers a server's requests. All calls come on its loop's thread.
package protocol HTTPHandler: AnyObject {
    /// Why a request isn't read any further, told by its head alone; nil where it is.
    func refusal(of head: HTTPRequest) -> HTTPResponse?
    /// Answers a request, at once or later.
    func answer(_ exchange: HTTPExchange)
}
