import CursesKit

extension Grid {
    /// The grid as text for golden files: its rows between bars, then the style of each cell as a letter.
    var text: String {
        var legend: [Style: Character] = [.plain: "."]
        var names: [String] = []
        var rows: [String] = []
        var looks: [String] = []
        for row in 0..<size.rows {
            var text = ""
            var look = ""
            for column in 0..<size.columns {
                switch self[row, column] {
                case .covered: look.append(look.last ?? ".")
                case .narrow(let cell, let style), .wide(let cell, let style):
                    text += cell
                    if legend[style] == nil {
                        let letter = Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8(names.count)))
                        legend[style] = letter
                        names.append("\(letter) \(style.words)")
                    }
                    look.append(legend[style] ?? "?")
                }
            }
            rows.append("|\(text)|")
            looks.append("|\(look)|")
        }
        let cursor = cursor.map { ["cursor \($0.row), \($0.column)"] } ?? []
        return (rows + looks + names + cursor).map { "\($0)\n" }.joined()
    }
}

extension Style {
    fileprivate var words: String {
        var words: [String] = []
        switch colour {
        case nil: break
        case .palette(let number): words.append("colour \(number)")
        case .exact(let red, let green, let blue): words.append("rgb \(red) \(green) \(blue)")
        }
        if isBold { words.append("bold") }
        if isDim { words.append("dim") }
        if isReversed { words.append("reversed") }
        if isUnderlined { words.append("underlined") }
        return words.joined(separator: ", ")
    }
}
