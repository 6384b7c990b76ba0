import { z } from 'zod'
import { functionTool } from '../../src/tools/decorator.js'
import { tool } from '../../src/tools/tool.js'

const place = z.object({ city: z.string().describe('Name of the city.') })
const named = (name: string) => tool(() => name, { name, description: 'x' })

export class Base {
  @functionTool({ description: 'Says hello.' })
  hello(): string {
    return 'hello'
  }

  @functionTool({ description: 'Says who it is.' })
  who(): string {
    return 'base'
  }
}

export class Weather extends Base {
  unit = 'C'

  @functionTool({ description: 'The weather of a city.', schema: place })
  getWeather({ city }: { city: string }): string {
    return `Sunny in ${city}, 21 ${this.unit}`
  }

  @functionTool
  now(): string {
    return 'noon'
  }

  @functionTool({ name: 'units' })
  getUnits(): string[] {
    return [this.unit]
  }

  override who(): string {
    return `weather ${super.who()}`
  }

  helper(): string {
    return 'no tool'
  }

  get broken(): never {
    throw new Error('a getter was called')
  }
}

export class Hidden extends Base {
  constructor() {
    super()
    Object.defineProperty(this, 'hello', {
      get() {
        throw new Error('a getter was called')
      },
    })
  }
}

export class Maths {
  @functionTool({ description: 'Subtracts.' })
  sub(): number {
    return 1
  }

  @functionTool({ description: 'Adds.' })
  add(): number {
    return 1
  }
}

export class Kit {
  static readonly shared = named('shared')
  static readonly more = { one: named('one'), two: named('two') }

  @functionTool({ description: 'Counts.' })
  static count(): number {
    return 3
  }

  readonly own = named('own')
  readonly record = { a: named('a'), b: named('b') }
  readonly list = [named('c')]
  readonly mixed = { d: named('d'), e: 1 }
  readonly settings = {}
  readonly missing = null
}
