import { koaApp } from '../../examples/koa-app.js'
import { servesAnAgent } from './served.js'

servesAnAgent(
  'the Koa app',
  (agent) => koaApp(agent).callback(),
  (message) => ({ text: message, type: 'text/plain' }),
)
