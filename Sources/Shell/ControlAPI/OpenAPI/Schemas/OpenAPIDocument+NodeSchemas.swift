// Schemas of the node as a whole.
extension OpenAPIDocument {
    static let nodeSchemas = #"""
        "Status":{
         "type":"object","description":"This node.",
         "properties":{
          "device":{"$ref":"#/components/schemas/DeviceID"},"name":{"type":"string"},
          "version":{"type":"string"},"instance":{"type":"string"},
          "spaces":{"type":"array","items":{"$ref":"#/components/schemas/Space"}},
          "links":{"type":"integer"},"listening":{"type":"array","items":{"type":"string"}},
          "clock":{"$ref":"#/components/schemas/Clock"},
          "alarms":{"type":"array","items":{"$ref":"#/components/schemas/Alarm"}},
          "sync":{"$ref":"#/components/schemas/Sync"},
          "disk":{"oneOf":[{"$ref":"#/components/schemas/Disk"},{"type":"null"}]},
          "discovery":{"$ref":"#/components/schemas/Discovery"},
          "syncFolder":{"oneOf":[{"$ref":"#/components/schemas/SyncFolder"},{"type":"null"}]}},
         "required":[
          "device","name","version","instance","spaces","links","listening","clock","alarms","sync",
          "disk","discovery","syncFolder"]},
        "SyncFolder":{
         "type":"object","description":"The folder in which boxes leave and take bundles.",
         "properties":{
          "path":{"type":"string"},
          "state":{
           "enum":["ready","missing","refused","full","failed"],
           "description":"missing: there is no such folder now. refused: it cannot be listed or written."},
          "problem":{"type":["string","null"]},"hint":{"type":["string","null"]},
          "lookedMs":{"type":"integer","description":"When it was looked at last."},
          "own":{"type":"array","items":{"$ref":"#/components/schemas/OwnFolderFile"}},
          "others":{"type":"array","items":{"$ref":"#/components/schemas/OtherFolderFile"}},
          "foreign":{"type":"integer","description":"Bundles of spaces that this node has no part in."},
          "crowded":{
           "type":"boolean","description":"There is more in the folder than is looked at."}},
         "required":[
          "path","state","problem","hint","lookedMs","own","others","foreign","crowded"]},
        "OwnFolderFile":{
         "type":"object","description":"A bundle that this node keeps in the sync folder.",
         "properties":{
          "file":{"type":"string"},"space":{"type":"string"},"bytes":{"type":"integer"},
          "changes":{"type":"integer","description":"In it, with those that several members lack."},
          "whole":{"type":"boolean","description":"All that others are not known to hold is in it."},
          "problem":{"type":["string","null"],"description":"Why it is not whole."},
          "writtenMs":{"type":"integer"}},
         "required":["file","space","bytes","changes","whole","problem","writtenMs"]},
        "OtherFolderFile":{
         "type":"object","description":"Another file in the sync folder, and what came of it.",
         "properties":{
          "file":{"type":"string"},
          "device":{"type":["string","null"],"description":"The member whose file it is, by its name."},
          "name":{"type":["string","null"]},"space":{"type":["string","null"]},
          "bytes":{"type":"integer"},"changes":{"type":"integer"},
          "new":{"type":"integer","description":"Changes in it that were not here when it was read."},
          "lacking":{"type":"integer",
           "description":"Changes in it that were not taken, since others before them are not here."},
          "readMs":{"type":["integer","null"],"description":"When it was read to its end."},
          "problem":{"type":["string","null"],"description":"Why it was not read, or not all of it."}},
         "required":[
          "file","device","name","space","bytes","changes","new","lacking","readMs","problem"]},
        "Disk":{
         "type":"object","description":"The file system of the state directory.",
         "properties":{
          "freeBytes":{"type":"integer"},
          "floorBytes":{"type":"integer","description":"Local writes stop below it."}},
         "required":["freeBytes","floorBytes"]},
        "Sync":{
         "type":"object","description":"Whether this node and the linked members have the same.",
         "properties":{
          "state":{
           "enum":["up-to-date","catching-up","alone","waiting"],
           "description":"alone: there are other members, and none is linked. catching-up: a linked one has \#
        more or lacks something. waiting: none does, but changes of this device are held by nobody else."},
          "percent":{
           "type":"integer","minimum":0,"maximum":100,"description":"100 when level with who is linked."},
          "behindChanges":{
           "type":"integer","description":"Changes that linked members hold and this node lacks."},
          "secondsLeft":{
           "type":["integer","null"],"description":"At the pace until now; null when nobody can say."},
          "members":{
           "type":"object","description":"Active ones.",
           "properties":{
            "active":{"type":"integer","description":"With this device."},
            "linked":{"type":"integer","description":"Others that are linked."},
            "unseen":{
             "type":"integer","description":"Others that are not linked, last seen over an hour ago."}},
           "required":["active","linked","unseen"]}},
         "required":["state","percent","behindChanges","secondsLeft","members"]},
        "Pinged":{
         "type":"object","description":"A sign of life.",
         "properties":{
          "rttMs":{"type":"integer"},
          "address":{"type":"string","description":"ip:port at the other end of the link."}},
         "required":["rttMs","address"]},
        "Clock":{
         "type":"object","description":"The wall clock, and how far it is from that of most peers.",
         "properties":{"wallMs":{"type":"integer"},"offsetMs":{"type":["integer","null"]}},
         "required":["wallMs","offsetMs"]},
        "Alarm":{
         "type":"object","description":"Something that a person should look at.",
         "properties":{
          "code":{"type":"string"},"message":{"type":"string"},"hint":{"type":"string"},
          "since":{"type":"integer"},"space":{"type":["string","null"]},"device":{"type":["string","null"]},
          "name":{"type":["string","null"],"description":"The device's."}},
         "required":["code","message","hint","since","space","device","name"]},
        "Discovery":{
         "type":"object","description":"Beacons on the networks of this machine.",
         "properties":{
          "listening":{"type":"boolean"},
          "interfaces":{"type":"array","items":{"$ref":"#/components/schemas/DiscoveryInterface"}},
          "problems":{"type":"array","items":{"type":"string"}},"sent":{"type":"integer"},
          "heard":{"type":"integer"},"processed":{"type":"integer"},
          "dropped":{"$ref":"#/components/schemas/DroppedBeacons"}},
         "required":["listening","interfaces","problems","sent","heard","processed","dropped"]},
        "DiscoveryInterface":{
         "type":"object","description":"A network interface, and how beacons leave by it.",
         "properties":{
          "name":{"type":"string"},
          "sends":{"type":"array","items":{"enum":["ipv4-multicast","ipv6-multicast","broadcast"]}}},
         "required":["name","sends"]},
        "DroppedBeacons":{
         "type":"object","description":"Beacons that were not processed, by reason.",
         "properties":{
          "foreign":{"type":"integer"},"replayed":{"type":"integer"},"malformed":{"type":"integer"},
          "flooded":{"type":"integer"},"own":{"type":"integer"},"unsent":{"type":"integer"}},
         "required":["foreign","replayed","malformed","flooded","own","unsent"]},
        "Reload":{
         "type":"object","description":"Settings that differ, by key.",
         "properties":{
          "applied":{"type":"array","items":{"type":"string"}},
          "needsRestart":{"type":"array","items":{"type":"string"}}},
         "required":["applied","needsRestart"]},
        "Metrics":{"type":"string","description":"Prometheus text exposition 0.0.4."},
        "Database":{"description":"A SQLite file.","contentMediaType":"application/vnd.sqlite3"},
        "Tar":{"description":"A tar file (ustar).","contentMediaType":"application/x-tar"},
        "Bundle":{"description":"A bundle (WIRE.md).","contentMediaType":"application/octet-stream"},
        "TakenBundle":{
         "type":"object","description":"What came of a bundle.",
         "properties":{
          "changes":{"type":"integer","description":"Changes in it."},
          "new":{"type":"integer","description":"Of them those that were not here."},
          "documents":{"type":"integer",
           "description":"Documents that changed here meanwhile, and those of a base that was taken."},
          "lacking":{"type":"integer",
           "description":"Changes in it that were not taken, since others before them are not here."}},
         "required":["changes","new","documents","lacking"]}
        """#
}
