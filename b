{ "sequence": 1, "summaryEvent": { "result": "succeeded", "resourceChanges": {} } }
