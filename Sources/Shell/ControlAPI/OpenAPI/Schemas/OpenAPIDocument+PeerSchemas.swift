// Schemas of peers: the members of shared spaces, and how they are reached.
extension OpenAPIDocument {
    static let peerSchemas = #"""
        "PeerList":{
         "type":"object","description":"All peers.",
         "properties":{
          "peers":{"type":"array","items":{"$ref":"#/components/schemas/Peer"}},
          "addresses":{
           "type":"array","description":"Behind which no device is known yet.",
           "items":{"$ref":"#/components/schemas/Address"}}},
         "required":["peers","addresses"]},
        "Peer":{
         "type":"object","description":"A device of a shared space.",
         "properties":{
          "device":{"$ref":"#/components/schemas/DeviceID"},"name":{"type":"string"},
          "addresses":{
           "type":"array","items":{"type":"string"},"description":"host:port, the likely ones first."},
          "state":{"enum":["connected","dialling","waiting","refused"]},
          "since":{"type":"integer","description":"Milliseconds since 1970."},
          "rttMs":{"type":["integer","null"]},
          "whyNot":{
           "type":["string","null"],
           "description":"What is known, since when, and what is tried next; null when all is well."},
          "heardAt":{"type":["integer","null"],"description":"Milliseconds since 1970."},
          "lastSeenMs":{
           "type":["integer","null"],
           "description":"Heard on a link or reached by an address, also before this node started."},
          "clockOffsetMs":{"type":["integer","null"],"description":"Its wall clock minus this node's."},
          "bytesReceived":{"type":"integer"},"bytesSent":{"type":"integer"},
          "dials":{"type":"array","items":{"$ref":"#/components/schemas/Address"}},
          "spaces":{"type":"array","items":{"$ref":"#/components/schemas/PeerSpace"}}},
         "required":[
          "device","name","addresses","state","since","rttMs","whyNot","spaces","heardAt","lastSeenMs",
          "clockOffsetMs",
          "bytesReceived","bytesSent","dials"]},
        "PeerSpace":{
         "type":"object","description":"How far a peer and this node are apart in one space.",
         "properties":{
          "space":{"type":"string"},
          "behindChanges":{
           "type":["integer","null"],
           "description":"Changes that it holds and this node lacks; null without a link."},
          "aheadChanges":{
           "type":["integer","null"],
           "description":"Changes that this node holds and it lacks; null when it has said nothing since \#
        this node started."},
          "treeRole":{"type":["string","null"]}},
         "required":["space","behindChanges","aheadChanges","treeRole"]},
        "Address":{
         "type":"object","description":"An address and what came of it; times in milliseconds since 1970.",
         "properties":{
          "address":{"type":"string"},"source":{"type":"string"},
          "outcome":{
           "enum":[
            "linked","connecting","looking-up","looked-up","failed","worked","not-tried","not-dialled"]},
          "reason":{"type":["string","null"]},"triedAt":{"type":["integer","null"]},
          "workedAt":{"type":["integer","null"]},"failures":{"type":"integer","description":"In a row."},
          "nextAt":{"type":["integer","null"]},
          "means":{"type":"array","items":{"type":"string"},"description":"What a name means."}},
         "required":[
          "address","source","outcome","reason","triedAt","workedAt","failures","nextAt","means"]}
        """#
}
