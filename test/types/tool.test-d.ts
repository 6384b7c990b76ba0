import { z } from 'zod'
import { functionTool } from '../../src/tools/decorator.js'

const city = z.object({ city: z.string() })

export class Fits {
  @functionTool({ description: 'x', schema: city })
  exact(args: { city: string }): string {
    return args.city
  }

  @functionTool({ description: 'x', schema: city })
  async less(): Promise<string> {
    return ''
  }

  @functionTool({ description: 'x', schema: city })
  withRuntime(args: { city: string }, runtime: { toolCallId: string }): string {
    return args.city + runtime.toolCallId
  }

  @functionTool
  bare(): number {
    return 1
  }

  @functionTool({ description: 'x', schema: { type: 'object', properties: { n: { type: 'number' } } } })
  json(args: { n?: number }): number | undefined {
    return args.n
  }
}

export class Misfits {
  // @ts-expect-error S2: the schema gives a city, not a town.
  @functionTool({ description: 'x', schema: city })
  other(args: { town: string }): string {
    return args.town
  }

  // @ts-expect-error S2: the method wants more than the schema gives.
  @functionTool({ description: 'x', schema: city })
  more(args: { city: string; days: number }): number {
    return args.days
  }

  // @ts-expect-error S2: an option that is not there.
  @functionTool({ descripton: 'x' })
  misspelt(): void {}
}

const fits = new Fits()
functionTool.of(fits.exact.bind(fits), { description: 'x', schema: city }) satisfies (args: { city: string }) => string
// @ts-expect-error S2: the form without decorators checks the same.
functionTool.of((args: { town: string }) => args.town, { description: 'x', schema: city })
