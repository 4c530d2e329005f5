import FocusDevice
import FocusHTTP
import FocusNet

extension HTTPRequest {
    /// The request to the device.
    var forDevice: PageRequest {
        PageRequest(method, path, query: query.map { PageRequest.Field($0.name, $0.value) }, body: body)
    }
}

extension HTTPResponse {
    /// Returns a page with one sentence, which is HTML.
    static func page(_ status: UInt32, _ sentence: String) -> HTTPResponse {
        let page =
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Lockstep</title>"
            + "<meta name=\"viewport\" content=\"width=device-width\">"
            + "<link rel=\"stylesheet\" href=\"/page.css\"><main class=\"notice\"><h1>Lockstep</h1><p>\(sentence)</p>"
            + "</main></html>\n"
        return HTTPResponse(status, type: "text/html; charset=utf-8", Array(page.utf8))
    }

    /// The response with the answer of the device.
    init(_ answer: PageAnswer) {
        let headers = answer.type.map { [HTTPField("Content-Type", $0)] } ?? []
        self.init(answer.status, headers: headers, body: answer.body)
    }

    /// The response for a failure. Its sentence may name the paths of `home`.
    init(_ failure: PageError, _ home: Home) { self.init(PageAnswer(failure, home)) }
}

extension PageText {
    /// Returns the reason why there is no link to the page. It may name the paths of `home`.
    static func noLink(_ error: any Error, _ home: Home) -> String {
        switch error {
        case let error as NetError: error.sentence
        case let failure as PageError: failure.sentence(home)
        default: "\(error)"
        }
    }
}
