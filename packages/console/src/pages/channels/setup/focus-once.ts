/** A `ref` that focuses an element when it replaces a form. */
export const focusOnMount = (node: HTMLElement | null): void => node?.focus({ preventScroll: true })
