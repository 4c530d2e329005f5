#!/bin/sh
# <swiftbar.type>streamable</swiftbar.type>
# <swiftbar.hideRunInTerminal>true</swiftbar.hideRunInTerminal>
# <bitbar.title>focus</bitbar.title>
# <bitbar.desc>One focus session on all your laptops.</bitbar.desc>
# Put it into SwiftBar's plugin folder, and make it executable.
PATH="/opt/homebrew/bin:/usr/local/bin:$PATH"
exec focus status --follow --bar swiftbar
