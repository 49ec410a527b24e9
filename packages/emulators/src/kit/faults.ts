/** Fields that all faults share. */
export interface FaultBase {
  readonly kind: string
  /** Emulator's name of the call or frame to fail. Default `*`: any. */
  readonly method?: string
  /** How often the fault applies. Default 1; `null`: until cleared. */
  readonly times?: number | null
  /** Limits the fault to one chat. */
  readonly chatId?: string
}

/** Faults that apply to every HTTP platform. `drop_after`: the call takes effect, but the caller gets no response. */
export type TransportFault = FaultBase &
  (
    | { readonly kind: 'drop_before' | 'drop_after' | 'hang' | 'bad_gateway' }
    /** The call takes effect immediately and is answered after `ms`. */
    | { readonly kind: 'slow'; readonly ms: number }
    /** `status` 500 to 599, without the platform's own body. */
    | { readonly kind: 'server_error'; readonly status: number }
  )

/** An injected fault that isn't used up. */
export interface ActiveFault<F extends FaultBase = FaultBase> {
  readonly id: number
  readonly spec: F
  /** Remaining uses; `null`: unlimited. */
  left: number | null
}

/** Injected faults of an emulator, used in order of injection. */
export class Faults<F extends FaultBase> {
  readonly #active: ActiveFault<F>[] = []
  #last = 0

  /** Faults that aren't used up, oldest first. */
  get active(): readonly ActiveFault<F>[] {
    return this.#active
  }

  /** Adds a fault. @throws {RangeError} when `times` is invalid */
  inject(spec: F): { readonly id: number } {
    const times = spec.times === undefined ? 1 : spec.times
    if (times !== null && !(Number.isInteger(times) && times > 0))
      throw new RangeError('times must be an integer of at least 1')
    const id = ++this.#last
    this.#active.push({ id, spec, left: times })
    return { id }
  }

  /**
   * Returns the first fault that applies to this call and uses it once, or `null`.
   * @param accepts Narrows the faults further, besides method and chat.
   */
  take(method: string, chatId?: string, accepts: (spec: F) => boolean = () => true): F | null {
    const index = this.#active.findIndex(({ spec }) => {
      if (!accepts(spec)) return false
      const named = spec.method ?? '*'
      if (named !== '*' && named.toLowerCase() !== method.toLowerCase()) return false
      return spec.chatId === undefined || spec.chatId === chatId
    })
    const fault = this.#active[index]
    if (!fault) return null
    if (fault.left !== null && --fault.left <= 0) this.#active.splice(index, 1)
    return fault.spec
  }

  /** Removes the fault with this id, or all faults. */
  clear(id?: number): void {
    const kept = id === undefined ? [] : this.#active.filter((fault) => fault.id !== id)
    this.#active.splice(0, this.#active.length, ...kept)
  }
}
