import { z } from 'zod'
import { secret } from '../../src/tools/secret.js'
import { tool } from '../../src/tools/tool.js'

const pool = { query: () => 'rows' }
tool((_args, { deps }) => `${deps.db.query()} ${deps.key.reveal().length}`, {
  name: 'orders',
  description: 'Lists orders.',
  inject: { db: () => pool, key: secret(() => 'x') },
})
tool(({ a }, { deps }) => `${deps.db.query()} ${deps.key.reveal().length} ${a.toFixed()}`, {
  name: 'orders',
  description: 'Lists orders.',
  schema: z.object({ a: z.number() }),
  inject: { db: () => pool, key: secret(() => 'x') },
})
