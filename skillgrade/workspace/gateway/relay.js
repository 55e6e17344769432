// Listens at a port of 127.0.0.1 and passes each connection on to a socket. Arguments: the socket, the port.
// Says "ready" once it listens, or once it finds that an earlier relay does.
const net = require("node:net");
const [path, port] = process.argv.slice(1);
const ready = () => process.stdout.write("ready\n");
const server = net.createServer((client) => {
  const gateway = net.connect({ path });
  client.pipe(gateway).pipe(client);
  for (const [one, other] of [[client, gateway], [gateway, client]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.end());
  }
});
server.on("error", (error) => (error.code === "EADDRINUSE" ? ready() : process.exit(1)));
server.listen(Number(port), "127.0.0.1", ready);
