import { bindingContract } from './bindings.contract.ts'
import { hardshipContract } from './hardship.contract.ts'
import { startExpress, startFastify, startHono } from './testing/servers.ts'

for (const [name, start] of [
  ['Hono', startHono],
  ['Express', startExpress],
  ['Fastify', startFastify],
] as const) {
  bindingContract(name, start)
  hardshipContract(name, start)
}
