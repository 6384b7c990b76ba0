import { expressApp } from '../../examples/express-app.js'
import { servesAnAgent } from './served.js'

servesAnAgent('the Express app', expressApp, (message) => ({
  text: JSON.stringify({ message }),
  type: 'application/json',
}))
