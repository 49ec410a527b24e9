/** What every fault says besides its kind. */
export interface FaultBase {
  readonly kind: string
  /** The call or frame that it meets, by the emulator's name for it; '*' (default): every one. */
  readonly method?: string
  /** Default 1; null: until cleared. */
  readonly times?: number | null
  /** Only what concerns this chat. */
  readonly chatId?: string
}

/** Faults that every HTTP platform can have. `drop_after`: the call takes effect, but the caller never learns it. */
export type TransportFault = FaultBase &
  (
    | { readonly kind: 'drop_before' | 'drop_after' | 'hang' | 'bad_gateway' }
    /** Takes effect at once, answers after `ms`. */
    | { readonly kind: 'slow'; readonly ms: number }
    /** `status` 500 to 599, without the platform's own body. */
    | { readonly kind: 'server_error'; readonly status: number }
  )

/** A fault that still waits for calls. */
export interface ActiveFault<F extends FaultBase = FaultBase> {
  readonly id: number
  readonly spec: F
  /** Calls left; null: without end. */
  left: number | null
}

/** The faults that an emulator has been told to have, used up in the order of their injection. */
export class Faults<F extends FaultBase> {
  readonly #active: ActiveFault<F>[] = []
  #last = 0

  get active(): readonly ActiveFault<F>[] {
    return this.#active
  }

  inject(spec: F): { readonly id: number } {
    const times = spec.times === undefined ? 1 : spec.times
    if (times !== null && !(Number.isInteger(times) && times > 0))
      throw new RangeError('times is a whole number from 1')
    const id = ++this.#last
    this.#active.push({ id, spec, left: times })
    return { id }
  }

  /**
   * The first fault of this call; counts it as used.
   * @param accepts Leaves faults aside that say nothing about this call, whatever method they name.
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

  /** @param id Default: all of them. */
  clear(id?: number): void {
    const kept = id === undefined ? [] : this.#active.filter((fault) => fault.id !== id)
    this.#active.splice(0, this.#active.length, ...kept)
  }
}
