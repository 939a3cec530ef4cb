"""secure: whether no class discloses a confidential sentence."""

from __future__ import annotations

from sfumato.classes.properties import Property, PropertyKind
from sfumato.measures.measure import ClassMeasure, Direction, Union


class Secure(ClassMeasure):
    """Logical security: 1 if no remaining class discloses a confidential sentence, else 0.

    A class discloses a sentence if it is true for every row of the class and confidential for someone in it:
    whoever knows that this person is in the class then knows it.

    Everyone must hold every sentence here: then a class is secure if each sentence is false for someone
    in it, and stays so united with any other class. It does not protect where a sentence is true for
    nearly all of a class; see ``sf``. A comparison with a missing value is false.

    Attribute-oriented granulation for privacy protection, section 3.1: the lower approximation of the
    meaning set of a sentence holds nobody for whom it is confidential.
    """

    direction = Direction.MAXIMIZE
    union = Union.ANY
    limits = (0.0, 1.0)

    def __init__(self, name: str, attribute: int) -> None:
        super().__init__(name)
        self.attribute = attribute

    @property
    def judged(self) -> Property:
        """Whether a class discloses nothing."""
        return Property(PropertyKind.SECURE, self.attribute)


class SecureForSome(Secure):
    """Logical security where a sentence is confidential for some people only.

    A class in which nobody holds a sentence may be united with one in which it is true throughout and someone
    does: so only unions with secure classes are secure.
    """

    union = Union.SATISFYING
