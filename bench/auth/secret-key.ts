/** Of the servers and of the sessions that are made for them. */
export const SECRET_KEY = 'a made-up key that only the bench uses, long enough'
