import type { Message } from '../messages.js'
import { callsOf } from '../messages.js'
import type { ToolDefinition } from './model.js'

/** Tool names as they stand on the wire, and back. */
export interface WireNames {
  /** The legal name that stands for `name` on the wire; of an unknown name, a legal form of it. */
  toWire(name: string): string
  /** The name that a wire name stands for; a name that stands for nothing is given back as it is. */
  fromWire(wireName: string): string
  /** Whether this is the wire name of a tool that is offered. */
  isOffered(wireName: string): boolean
}

/**
 * What every known endpoint takes as a tool name: the common part of OpenAI's and Anthropic's
 * `^[a-zA-Z0-9_-]{1,64}$` and Gemini's rule that a name begins with a letter or an underscore.
 */
const LEGAL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/
const MAX_LENGTH = 64

/**
 * Maps the names of the tools, and of the calls in the history, to legal and distinct wire names. A legal name stays;
 * another one is spelled legally, with a short hash of itself where that spelling is taken or was cut. The result does
 * not depend on the order of the tools.
 */
export function wireNames(tools: readonly ToolDefinition[], messages: readonly Message[]): WireNames {
  const illegal = new Set<string>()
  for (const tool of tools) if (!tool.provider && !LEGAL.test(tool.name)) illegal.add(tool.name)
  for (const message of messages) {
    for (const call of callsOf(message)) if (!LEGAL.test(call.function.name)) illegal.add(call.function.name)
  }
  let offered: Set<string> | undefined
  const isOffered = (wireName: string): boolean => {
    offered ??= new Set(tools.map((tool) => toWire(tool.name)))
    return offered.has(wireName)
  }
  if (illegal.size === 0)
    return { toWire: (name) => name, fromWire: (name) => name, isOffered: isOfferedPlainly(tools) }

  const toWireName = spell(illegal, legalNames(tools, messages))
  const fromWireName = new Map<string, string>()
  for (const [name, wireName] of toWireName) fromWireName.set(wireName, name)
  const toWire = (name: string): string => toWireName.get(name) ?? (LEGAL.test(name) ? name : hashed(name, 0))
  return { toWire, fromWire: (wireName) => fromWireName.get(wireName) ?? wireName, isOffered }
}

function isOfferedPlainly(tools: readonly ToolDefinition[]): (wireName: string) => boolean {
  return (wireName) => tools.some((tool) => tool.name === wireName)
}

function legalNames(tools: readonly ToolDefinition[], messages: readonly Message[]): Set<string> {
  const legal = new Set<string>()
  for (const tool of tools) if (LEGAL.test(tool.name)) legal.add(tool.name)
  for (const message of messages) {
    for (const call of callsOf(message)) if (LEGAL.test(call.function.name)) legal.add(call.function.name)
  }
  return legal
}

function spell(names: ReadonlySet<string>, taken: Set<string>): Map<string, string> {
  const bySpelling = new Map<string, string[]>()
  for (const name of names) {
    const spelling = legalForm(name)
    bySpelling.set(spelling, [...(bySpelling.get(spelling) ?? []), name])
  }
  const result = new Map<string, string>()
  const clashing: string[] = []
  for (const [spelling, group] of bySpelling) {
    if (group.length > 1 || spelling.length > MAX_LENGTH || taken.has(spelling)) clashing.push(...group)
    else result.set(group[0]!, spelling)
  }
  for (const wireName of result.values()) taken.add(wireName)
  for (const name of clashing.sort()) {
    let salt = 0
    while (taken.has(hashed(name, salt))) salt += 1
    const wireName = hashed(name, salt)
    taken.add(wireName)
    result.set(name, wireName)
  }
  return result
}

function legalForm(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-zA-Z0-9_-]/g, '_')
  if (plain === '') return 'unnamed'
  return /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`
}

function hashed(name: string, salt: number): string {
  const suffix = `_${textHash(`${salt}:${name}`).toString(36)}`
  return legalForm(name).slice(0, MAX_LENGTH - suffix.length) + suffix
}

/** A 32-bit hash of a text: FNV-1a over its code units. For short names, not for security. */
export function textHash(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}
