// Endpoints of the node as a whole.

import Bytes
import Node

extension Route.Name {
    public static let openapi = Route.Name("openapi")
    public static let status = Route.Name("status")
    public static let peers = Route.Name("peers")
    public static let ping = Route.Name("ping")
    public static let metrics = Route.Name("metrics")
    public static let backup = Route.Name("backup")
    public static let support = Route.Name("support")
    public static let reload = Route.Name("reload")
}

extension Route {
    static let nodeRoutes = [
        Route(
            .openapi, "GET", "/v1/openapi.json", .nothing, tag: .node,
            "This document.", "Generated from the table that requests are routed by.",
            answer: .json(
                "OpenAPI", "OpenAPI 3.1.",
                example: #"{"openapi":"3.1.0","info":{"title":"repld control API","version":"1"},"paths":{}}"#
            )
        ) { _ in .openAPI },
        Route(
            .status, "GET", "/v1/status", .ownSpaces, tag: .node,
            "The state of this node.", "Who it is, its spaces, links, clock and alarms.",
            answer: .json("Status", "The status.", example: statusExample)
        ) { _ in .ask(.status) },
        Route(
            .peers, "GET", "/v1/peers", .unrestricted, tag: .node,
            "The peers of this node.",
            "Every device of a shared space: its link, and how far each is behind.",
            answer: .json("PeerList", "The peers.", example: peersExample)
        ) { _ in .ask(.peers) },
        Route(
            .ping, "POST", "/v1/peers/{member}:ping", .unrestricted, tag: .node,
            "Asks a linked peer for a sign of life.",
            "How long it took, and the address at the other end of the link. 409 says why there is no link.",
            answer: .json(
                "Pinged", "It answered.", example: #"{"rttMs":2,"address":"192.0.2.7:21420"}"#),
            also: [.unanswered]
        ) { .ask(.ping($0.member)) },
        Route(
            .metrics, "GET", "/v1/metrics", .unrestricted, tag: .node,
            "Metrics for Prometheus.", "Names begin with repl_, those of the process itself with process_.",
            answer: .of(
                [RouteContent(type: "text/plain", schema: "Metrics", example: #""repl_links 2\n""#)],
                "Prometheus text exposition.")
        ) { _ in .ask(.metrics) },
        Route(
            .backup, "POST", "/v1/backup", .unrestricted, tag: .node,
            "A copy of the node's database.",
            "It is consistent. Restored, it opens a new incarnation. One at a time: 429 until the one before "
                + "was read or its client is gone.",
            answer: .of(
                [RouteContent(type: WholeAnswer.bytes, schema: "Database", example: nil)], "One SQLite file.")
        ) { _ in .ask(.backup) },
        Route(
            .support, "GET", "/v1/support", .unrestricted, tag: .node,
            "What somebody who helps wants to know, as a tar.",
            "Settings, status, peers, members, checkpoints, metrics, the last lines of the log, process and "
                + "unit, files and schema. Nothing of documents, their keys, no key of the device or of a "
                + "space, no token; README.txt in it says what is inside.",
            parameters: [.addresses],
            answer: .of(
                [RouteContent(type: WholeAnswer.tar, schema: "Tar", example: nil)], "One tar file.")
        ) { (request) throws(APIError) in
            .support(keepsAddresses: try request.query.flag("addresses") ?? false)
        },
        Route(
            .reload, "POST", "/v1/reload", .unrestricted, tag: .node,
            "Reads the config file again.",
            "Says for each setting that differs whether it was applied or needs a restart. 422: the file "
                + "cannot be used; nothing was applied.",
            parameters: [.check],
            answer: .json(
                "Reload", "What became of each setting that differs, by key.",
                example: #"{"applied":["log-level"],"needsRestart":["listen"]}"#)
        ) { (request) throws(APIError) in .ask(.reload(isCheck: try request.query.flag("check") ?? false)) },
    ]

    private static let statusExample = #"""
        {"device":"\#(Example.device)","name":"attic","version":"0.1.0","instance":"ab18d62fbd78a938",
         "spaces":[\#(Example.spaceObject)],"links":1,"listening":["0.0.0.0:21420"],
         "clock":{"wallMs":1795382768400,"offsetMs":-3},
         "alarms":[{"code":"disk-low","message":"600 MiB are free","hint":"free space","since":1795382700000,
          "space":null,"device":null,"name":null}],
         "sync":{"state":"up-to-date","percent":100,"behindChanges":0,"secondsLeft":null,
          "members":{"active":2,"linked":1,"unseen":0}},
         "disk":{"freeBytes":52613349376,"floorBytes":268435456},
         "discovery":{"listening":true,"interfaces":[{"name":"eth0","sends":["ipv4-multicast"]}],
          "problems":[],"sent":12,"heard":9,"processed":9,
          "dropped":{"foreign":0,"replayed":0,"malformed":0,"flooded":0,"own":3,"unsent":0}},
         "syncFolder":null}
        """#

    private static let peersExample = #"""
        {"peers":[{"device":"\#(Example.device)","name":"attic","addresses":["192.0.2.7:21420"],
         "state":"connected","since":1795382700000,"rttMs":2,"whyNot":null,
         "spaces":[{"space":"\#(Example.space)","behindChanges":0,"aheadChanges":3,"treeRole":"eager"}],
         "heardAt":1795382768000,"lastSeenMs":1795382768000,
          "clockOffsetMs":-3,"bytesReceived":4711,"bytesSent":815,
         "dials":[{"address":"192.0.2.7:21420","source":"beacon","outcome":"linked","reason":null,
          "triedAt":1795382700000,"workedAt":1795382700000,"failures":0,"nextAt":null,"means":[]}]}],
         "addresses":[]}
        """#
}
