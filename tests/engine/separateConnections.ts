/**
 * Gives each gRPC channel of this process connections of its own. Inline programs leave channels to engines that have
 * ended. gRPC shares the connections of all channels to one port, so an engine on a port that an earlier one had would
 * be "No connection established. Last error: null" for the next program.
 */
import connections = require("@grpc/grpc-js/build/src/subchannel-pool");

Object.assign(connections, { getSubchannelPool: () => new connections.SubchannelPool() });
